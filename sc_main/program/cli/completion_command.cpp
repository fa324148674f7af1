#include "sc_main/program/options/command_entry.hpp"
#include "sc_main/program/options/help_options.hpp"

namespace flashloom {
namespace {

// Each script calls `flashloom __complete WORD...` with the incomplete word last, and reads lines with a candidate, a
// tab and its description; or ":files", ":folders", ":nospace".

constexpr const char* kBashScript = R"(# Completion of flashloom for bash, printed by `flashloom completion bash`.
_flashloom() {
  local words=() piece joined="" i line value cur prefix nospace=""
  # bash takes a=b and a:b for several words (COMP_WORDBREAKS): they are put together again.
  for ((i = 1; i <= COMP_CWORD; i++)); do
    piece=${COMP_WORDS[i]}
    if [[ -n $joined || $piece == [=:]* ]] && ((${#words[@]} > 0)); then
      words[${#words[@]} - 1]+=$piece
    else
      words+=("$piece")
    fi
    joined=""
    [[ $piece == *[=:] ]] && joined=1
  done
  cur=${words[${#words[@]} - 1]}
  # What bash will not replace: up to the last of those characters.
  prefix=${cur%"${cur##*[=:]}"}
  COMPREPLY=()
  local program=${COMP_WORDS[0]/#\~/$HOME}
  while IFS= read -r line; do
    case $line in
      :nospace) nospace=1 ;;
      :files) while IFS= read -r value; do COMPREPLY+=("$value"); done < <(compgen -f -- "${cur#"$prefix"}")
              compopt -o filenames 2> /dev/null ;;
      :folders) while IFS= read -r value; do COMPREPLY+=("$value"); done < <(compgen -d -- "${cur#"$prefix"}")
                compopt -o filenames 2> /dev/null ;;
      *) value=${line%%$'\t'*}
         COMPREPLY+=("${value#"$prefix"}") ;;
    esac
  done < <("$program" __complete "${words[@]}" 2> /dev/null)
  [[ -n $nospace ]] && compopt -o nospace 2> /dev/null
  return 0
}
complete -F _flashloom flashloom
)";

constexpr const char* kZshScript = R"(#compdef flashloom
# Completion of flashloom for zsh, printed by `flashloom completion zsh`.
_flashloom() {
  local line value
  local -a plain described
  local -a after
  local files="" folders=""
  for line in "${(@f)$(_call_program flashloom ${(q)words[1]} __complete ${(q)words[2,CURRENT]} 2> /dev/null)}"; do
    case $line in
      '') ;;
      :nospace) after=(-S '') ;;
      :files) files=1 ;;
      :folders) folders=1 ;;
      *) value=${line%%$'\t'*}
         plain+=("$value")
         if [[ $line == *$'\t'* ]]; then described+=("$value -- ${line#*$'\t'}"); else described+=("$value"); fi ;;
    esac
  done
  (( $#plain )) && compadd -l -d described "${(@)after}" -- "${(@)plain}"
  if [[ -n $files || -n $folders ]]; then
    compset -P '--[^=]#='
    if [[ -n $files ]]; then _files; else _files -/; fi
  fi
}
if [[ ${funcstack[1]} == _flashloom ]]; then _flashloom "$@"; else compdef _flashloom flashloom; fi
)";

constexpr const char* kFishScript = R"(# Completion of flashloom for fish, printed by `flashloom completion fish`.
function __flashloom_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program $words[1]
    set -e words[1]
    for line in ($program __complete $words "$current" 2> /dev/null)
        switch $line
            case :nospace
            case :files
                set -l prefix (string match -r -- '^--[^=]*=' $current)
                for path in (__fish_complete_path (string replace -r -- '^--[^=]*=' '' $current))
                    echo "$prefix$path"
                end
            case :folders
                set -l prefix (string match -r -- '^--[^=]*=' $current)
                for path in (__fish_complete_directories (string replace -r -- '^--[^=]*=' '' $current))
                    echo "$prefix$path"
                end
            case '*'
                echo $line
        end
    end
end
complete -c flashloom -f -a '(__flashloom_complete)'
)";

int completion_command(const CompletionOptions& options, std::ostream& out) {
  out << (options.shell == "bash" ? kBashScript : options.shell == "zsh" ? kZshScript : kFishScript);
  return 0;
}

const RegisterCommand registered_completion(kCompletionCommand, completion_command);

}  // namespace
}  // namespace flashloom
