#include "sc_main/program/cli/value_completion.hpp"
#include "sc_main/program/options/command_entry.hpp"
#include "sc_main/program/options/command_table.hpp"
#include "sc_main/program/options/help_options.hpp"

namespace flashloom {
namespace {

constexpr const char* kTopic = "TOPIC";  // argument of `flashloom help`: words of a command's name

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

/// An incomplete command line.
class TypedLine {
 public:
  explicit TypedLine(const std::vector<std::string>& words) : command_(&tree_.commands().front()) {
    for (std::size_t i = 0; i + 1 < words.size(); ++i) take(words[i]);
    if (!words.empty()) word_ = words.back();
  }

  Completion completion() {
    if (awaiting_ != nullptr && !(is_option(word_) && awaiting_->get_expected_min() == 0))
      return complete_value(awaiting_->get_type_name(), word_);
    if (!only_positional_ && is_option(word_)) return complete_option();
    if (!command_->check) return complete_name(command_->entry->name);
    const CLI::Option* const option = positional();
    if (option == nullptr) return {};
    if (option->get_type_name() == kTopic) return complete_name(topic_);
    return complete_value(option->get_type_name(), word_);
  }

 private:
  bool is_option(const std::string& word) const { return !only_positional_ && word.starts_with('-'); }

  void take(const std::string& word) {
    if (awaiting_ != nullptr && !(is_option(word) && awaiting_->get_expected_min() == 0)) {
      awaiting_ = nullptr;
      return;
    }
    awaiting_ = nullptr;
    if (word == "--" && !only_positional_) {
      only_positional_ = true;
    } else if (is_option(word)) {
      const CLI::Option* const option = find_option(word);
      if (option != nullptr && takes_value(*option) && word.find('=') == std::string::npos) awaiting_ = option;
    } else if (!command_->check) {
      const std::string group = command_->entry->name;
      const Command* const next = tree_.find(group.empty() ? word : group + " " + word);
      if (next != nullptr) command_ = next;
    } else {
      if (const CLI::Option* const option = positional(); option != nullptr && option->get_type_name() == kTopic)
        topic_ += (topic_.empty() ? "" : " ") + word;
      ++positionals_;
    }
  }

  /// The option of "--name" or "--name=value", of the command or of the program.
  const CLI::Option* find_option(const std::string& word) {
    const std::string name = word.substr(0, word.find('='));
    for (CLI::App* const app : {command_->app, &tree_.program()})
      if (const CLI::Option* const option = app->get_option_no_throw(name); option != nullptr) return option;
    return nullptr;
  }

  /// The command's positional argument to which the word belongs; null: there is none left.
  const CLI::Option* positional() const {
    std::size_t before = positionals_;
    for (const CLI::Option* option : command_->app->get_options()) {
      if (!option->get_positional()) continue;
      const auto most = static_cast<std::size_t>(option->get_items_expected_max());
      if (before < most) return option;
      before -= most;
    }
    return nullptr;
  }

  Completion complete_option() {
    Completion completion;
    if (const std::size_t equals = word_.find('='); equals != std::string::npos) {
      const CLI::Option* const option = find_option(word_);
      if (option == nullptr || !takes_value(*option)) return {};
      completion = complete_value(option->get_type_name(), word_.substr(equals + 1));
      for (Completion::Candidate& candidate : completion.candidates)
        candidate.value.insert(0, word_.substr(0, equals + 1));
      return completion;
    }
    const auto offer_all = [&](const CLI::App& app) {
      for (const CLI::Option* option : app.get_options())
        for (const std::string& name : option->get_lnames())
          completion.offer(word_, std::string("--") + name, option->get_description());
    };
    offer_all(*command_->app);
    for (const CLI::Option* option : tree_.program().get_options())
      if (command_->app != &tree_.program() && option->get_lnames() != std::vector<std::string>{"help"} &&
          option->get_lnames() != std::vector<std::string>{"version"})
        for (const std::string& name : option->get_lnames())
          completion.offer(word_, std::string("--") + name, option->get_description());
    return completion;
  }

  /// Completes the name of a command of a group, or of the program.
  Completion complete_name(const std::string& group) const {
    Completion completion;
    const Command* const found = tree_.find(group);
    if (found == nullptr || found->check) return completion;
    for (const std::string& name : tree_.names(group))
      completion.offer(word_, name, tree_.find(group.empty() ? name : group + " " + name)->entry->summary);
    return completion;
  }

  CommandTree tree_;
  const Command* command_;
  const CLI::Option* awaiting_ = nullptr;  // option whose value comes next
  bool only_positional_ = false;           // after "--"
  std::size_t positionals_ = 0;
  std::string topic_;
  std::string word_;
};

int complete_command(const CompleteOptions& options, std::ostream& out) {
  const Completion completion = TypedLine(options.words).completion();
  for (const Completion::Candidate& candidate : completion.candidates) {
    out << candidate.value;
    if (!candidate.help.empty()) out << '\t' << candidate.help;
    out << '\n';
  }
  if (completion.open) out << ":nospace\n";
  if (completion.files) out << ":files\n";
  if (completion.folders) out << ":folders\n";
  return 0;
}

const RegisterCommand registered_complete(kCompleteCommand, complete_command);

}  // namespace
}  // namespace flashloom
