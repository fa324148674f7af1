#include "sc_main/assembly/state/state_file.hpp"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "sc_main/assembly/config/content_hash.hpp"
#include "sc_main/assembly/config/json_text.hpp"

namespace flashloom {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kFileBuffer = 1 << 18;
constexpr std::size_t kLongestHeader = 1 << 20;
constexpr std::size_t kHashDigits = 16;

/// Calls `deed`, and adds the file's name to the errors that it throws.
template <class Deed>
auto naming(const std::string& path, Deed deed) {
  try {
    return deed();
  } catch (const StreamError& error) {
    throw StateError(path + ": " + error.what());
  }
}

Json to_json(const StateKeys& keys) {
  Json json = Json::object();
  for (const auto& [path, value] : keys) json[path] = value;
  return json;
}

StateKeys keys_of(const Json& json) {
  StateKeys keys;
  for (const auto& [path, value] : json.items()) keys.emplace_back(path, value.get<std::string>());
  return keys;
}

/// The header as text: a line with the hash of the rest, then JSON; `head FILE` shows it.
std::string text_of(const StateHeader& header) {
  const Json json = {{"schema", kStateSchema},
                     {"device", header.device},
                     {"key", hash_of(header.keys)},
                     {"keys", to_json(header.keys)},
                     {"precondition", to_json(header.precondition)},
                     {"seed", header.seed},
                     {"tables", header.compact ? "compact" : "mapped"}};
  const std::string text = json_text(json, 2) + "\n";
  return content_hash(text) + "\n" + text;
}

StateHeader parse(const std::string& path, const std::string& text) {
  if (text.size() <= kHashDigits || text[kHashDigits] != '\n')
    throw StateError(path + ": is no saved state, or is truncated");
  const std::string body = text.substr(kHashDigits + 1);
  if (text.substr(0, kHashDigits) != content_hash(body)) throw StateError(path + ": is no saved state, or is damaged");
  const Json json = Json::parse(body);
  if (const auto schema = json.value("schema", std::string()); schema != kStateSchema)
    throw StateError(path + ": is of schema \"" + schema + "\", and this program reads \"" + kStateSchema +
                     "\"; make it anew with `flashloom precondition`");
  return {.device = json.at("device").get<std::string>(),
          .keys = keys_of(json.at("keys")),
          .precondition = keys_of(json.at("precondition")),
          .seed = json.at("seed").get<std::uint64_t>(),
          .compact = json.at("tables").get<std::string>() == "compact"};
}

}  // namespace

StateHeader read_state_header(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error))
    throw StateError(path + ": no such state; `flashloom precondition DEVICE --state " + path + "` makes it");
  return naming(path, [&] { return parse(path, ZstdFile::read_text(path, kLongestHeader)); });
}

StateWriter::StateWriter(const std::string& path, const StateHeader& header)
    : StateArchive(false), path_(path), compact_(header.compact), buffer_(kFileBuffer) {
  naming(path_, [&] {
    file_ = std::make_unique<ZstdFile>(path_);
    file_->write_text(text_of(header));
  });
}

void StateWriter::transfer(void* data, std::size_t size) {
  if (size > kFileBuffer - filled_) flush();
  if (size > kFileBuffer) {
    naming(path_, [&] { file_->write(data, size); });
    return;
  }
  std::copy_n(static_cast<const char*>(data), size, buffer_.data() + filled_);
  filled_ += size;
}

void StateWriter::flush() {
  naming(path_, [&] { file_->write(buffer_.data(), filled_); });
  filled_ = 0;
}

std::uint64_t StateWriter::size() const { return file_->size(); }

bool StateWriter::to_stdout() const { return file_->to_stdout(); }

bool StateWriter::image(std::byte* memory, std::size_t size) {
  if (compact_ || size < kSmallestImage) return false;
  ImagePieces pieces = images_.add(memory, size);
  (*this)(pieces);
  return true;
}

void StateWriter::complete() {
  if (std::exchange(complete_, true)) return;
  flush();
  naming(path_, [&] {
    file_->end_frame();
    images_.write(*file_);
  });
}

void StateWriter::commit() {
  complete();
  naming(path_, [&] { file_->close(); });
}

StateReader::StateReader(const std::string& path)
    : StateArchive(true), path_(path), compact_(read_state_header(path).compact), buffer_(kFileBuffer) {
  naming(path_, [&] {
    images_ = std::make_unique<MappedImages>(path_);
    stream_ = images_->compressed();
    while (stream_->read(buffer_.data(), kFileBuffer) != 0) {
    }
    stream_ = images_->compressed();
  });
}

bool StateReader::image(std::byte* memory, std::size_t size) {
  if (compact_ || size < kSmallestImage) return false;
  ImagePieces pieces;
  (*this)(pieces);
  naming(path_, [&] { images_->map(memory, size, pieces); });
  return true;
}

void StateReader::transfer(void* data, std::size_t size) {
  auto* to = static_cast<char*>(data);
  naming(path_, [&] {
    while (size != 0) {
      if (begin_ == end_) {
        begin_ = end_ = 0;
        const bool large = size >= kFileBuffer;
        const std::size_t got = stream_->read(large ? to : buffer_.data(), large ? size : kFileBuffer);
        if (got == 0) throw StreamError("ends before the state does");
        if (large) {
          to += got;
          size -= got;
          continue;
        }
        end_ = got;
      }
      const std::size_t part = std::min(size, end_ - begin_);
      std::copy_n(buffer_.data() + begin_, part, to);
      begin_ += part;
      to += part;
      size -= part;
    }
  });
}

void StateReader::finish() {
  char more = 0;
  if (begin_ != end_ || naming(path_, [&] { return stream_->read(&more, 1); }) != 0 || !images_->at_end())
    throw StateError(path_ + ": holds more than the state");
}

}  // namespace flashloom
