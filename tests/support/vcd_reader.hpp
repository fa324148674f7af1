// Reads a Value Change Dump back, as a waveform viewer would.
#pragma once

#include <cstdint>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace flashloom {

class VcdReader {
 public:
  using Changes = std::vector<std::pair<std::uint64_t, std::string>>;  ///< (time, value), the initial one first

  explicit VcdReader(const std::string& text) {
    std::istringstream words(text);
    std::string word, scope;
    std::map<std::string, std::string> names;  // by identifier
    std::map<std::string, bool> ascii;
    bool definitions = true;
    while (definitions && words >> word) {
      if (word == "$scope") {
        words >> word >> word;
        scope += word + ".";
      } else if (word == "$upscope") {
        scope.erase(scope.rfind('.', scope.size() - 2) + 1);
      } else if (word == "$var") {
        std::string type, bits, id, name;
        words >> type >> bits >> id >> name;
        if (!names.emplace(id, scope + name).second) throw std::runtime_error("identifier twice: " + id);
        ascii[id] = type == "reg";
      } else if (word == "$timescale") {
        words >> timescale >> word;
        timescale += word;
      } else if (word == "$enddefinitions") {
        definitions = false;
      }
    }
    if (definitions) throw std::runtime_error("no end of the definitions");
    words >> word;  // $end
    while (words >> word) {
      if (word == "$dumpvars" || word == "$end") continue;
      if (word[0] == '#') {
        const std::uint64_t time = std::stoull(word.substr(1));
        if (any_time_ && time < end) throw std::runtime_error("time runs backwards at " + word);
        any_time_ = true;
        end = time;
        continue;
      }
      std::string value = word.substr(0, 1), id = word.substr(1);
      if (word[0] == 'b') {
        value = word.substr(1);
        words >> id;
      }
      Changes& changes = signals[names.at(id)];
      changes.emplace_back(end, ascii[id] ? letters(value) : number(value));
    }
  }

  std::map<std::string, Changes> signals;  ///< by full name
  std::string timescale;
  std::uint64_t end = 0;  ///< last time in the file

 private:
  static std::string letters(const std::string& bits) {
    if (bits == "x" || bits == "z") return bits;
    std::string text;
    const std::string padded = std::string((8 - bits.size() % 8) % 8, '0') + bits;
    for (std::size_t i = 0; i < padded.size(); i += 8)
      text += static_cast<char>(std::stoi(padded.substr(i, 8), nullptr, 2));
    return text;
  }
  static std::string number(const std::string& bits) {
    return bits == "x" || bits == "z" ? bits : std::to_string(std::stoull(bits, nullptr, 2));
  }
  bool any_time_ = false;
};

}  // namespace flashloom
