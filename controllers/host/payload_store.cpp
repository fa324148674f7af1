#include "controllers/host/payload_store.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstring>
#include <new>

namespace flashloom {
namespace {

constexpr std::uint32_t kPieceBytes = 4096;
constexpr std::uint64_t kLeastSlots = 4;

// Whether all 8-byte words are the first one.
bool one_word(const std::byte* data, std::size_t bytes, std::uint64_t& word) {
  std::memcpy(&word, data, sizeof word);
  return std::memcmp(data, data + sizeof word, bytes - sizeof word) == 0;
}

void fill_words(std::byte* into, std::size_t bytes, std::uint64_t word) {
  for (std::size_t at = 0; at < bytes; at += sizeof word) std::memcpy(into + at, &word, sizeof word);
}

}  // namespace

struct PayloadStore::Pieces : boost::unordered_flat_map<Key, Piece> {};

PayloadStore::PayloadStore(const Shape& shape)
    : shape_(shape),
      piece_bytes_(std::max(kPieceBytes, shape.sector_bytes)),
      piece_sectors_(piece_bytes_ / shape.sector_bytes),
      slots_(std::max(shape.memory_bytes / piece_bytes_, kLeastSlots)),
      pieces_(std::make_unique<Pieces>()),
      file_(piece_bytes_),
      buffer_(piece_bytes_) {
  void* const memory = ::mmap(nullptr, slots_ * piece_bytes_, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  memory_ = static_cast<std::byte*>(memory);
}

PayloadStore::~PayloadStore() { ::munmap(memory_, slots_ * piece_bytes_); }

std::uint64_t PayloadStore::take_slot() {
  if (free_slots_.empty() && owners_.size() < slots_) {
    owners_.push_back({});
    return owners_.size() - 1;
  }
  if (free_slots_.empty()) {
    spill(hand_);
    hand_ = hand_ + 1 == slots_ ? 0 : hand_ + 1;
  }
  const std::uint64_t number = free_slots_.back();
  free_slots_.pop_back();
  return number;
}

// Moves a piece to the file: its live sectors, one after the other. Slots are spilled in about the order of their age.
void PayloadStore::spill(std::uint64_t number) {
  Piece& piece = pieces_->at(owners_[number]);
  const std::uint32_t sector = shape_.sector_bytes;
  std::uint32_t bytes = 0;
  for (std::uint32_t i = 0; i < piece_sectors_; ++i)
    if ((piece.live >> i & 1) != 0) {
      std::copy_n(slot(number) + i * sector, sector, buffer_.data() + bytes);
      bytes += sector;
    }
  const SpillFile::Place place = file_.write(buffer_.data(), bytes);
  owners_[number] = {};
  free_slots_.push_back(number);
  piece.kind = Kind::File;
  piece.place = place.unit;
  piece.bytes = place.bytes;
  piece.stored = piece.live;
}

void PayloadStore::put_piece(const Key& key, std::uint8_t live, std::uint32_t at, const std::byte* data) {
  const std::uint32_t bytes = static_cast<std::uint32_t>(std::popcount(live)) * shape_.sector_bytes;
  Piece piece;
  piece.live = live;
  if (data != nullptr && !one_word(data, bytes, piece.place)) {
    piece.kind = Kind::Memory;
    piece.place = take_slot();
    owners_[piece.place] = key;
    std::copy_n(data, bytes, slot(piece.place) + at);
  }
  pieces_->insert_or_assign(key, piece);
  sectors_ += static_cast<std::uint64_t>(std::popcount(live));
}

void PayloadStore::put(SectorToken token, std::uint64_t first, std::uint64_t sectors, const std::byte* data) {
  for (std::uint64_t done = 0; done < sectors;) {
    const std::uint64_t group = (first + done) / piece_sectors_;
    const auto at = static_cast<std::uint32_t>((first + done) % piece_sectors_);
    const std::uint64_t count = std::min<std::uint64_t>(piece_sectors_ - at, sectors - done);
    put_piece({group, token}, static_cast<std::uint8_t>(((1U << count) - 1) << at), at * shape_.sector_bytes,
              data == nullptr ? nullptr : data + done * shape_.sector_bytes);
    done += count;
  }
}

// Reads a piece into the buffer, in its layout in memory.
void PayloadStore::read_piece(const Piece& piece) {
  const std::uint32_t sector = shape_.sector_bytes;
  const auto count = static_cast<std::uint32_t>(std::popcount(piece.stored));
  file_.read({piece.place, piece.bytes}, buffer_.data(), count * sector);
  std::uint32_t from = count;
  for (std::uint32_t i = piece_sectors_; i-- > 0 && from != i + 1;)  // to their places, the last one first
    if ((piece.stored >> i & 1) != 0) {
      --from;
      std::memmove(buffer_.data() + i * sector, buffer_.data() + from * sector, sector);
    }
}

void PayloadStore::made_up(SectorToken token, std::uint64_t sector, std::byte* into) const {
  for (std::uint32_t at = 0; at < shape_.sector_bytes; at += sizeof(std::uint64_t)) {
    const std::uint64_t word = token == 0 ? 0 : split_mix((std::uint64_t{token} << 32) ^ sector, at);
    std::memcpy(into + at, &word, sizeof word);
  }
}

void PayloadStore::get(const SectorToken* tokens, std::uint64_t first, std::uint64_t sectors, std::byte* into) {
  const std::uint32_t sector_bytes = shape_.sector_bytes;
  for (std::uint64_t done = 0; done < sectors;) {
    // As many as are of one piece.
    const SectorToken token = tokens[done];
    const std::uint64_t group = (first + done) / piece_sectors_;
    std::uint64_t count = 1;
    while (done + count < sectors && tokens[done + count] == token && (first + done + count) / piece_sectors_ == group)
      ++count;
    const auto found = token == 0 ? pieces_->end() : pieces_->find({group, token});
    std::byte* const to = into + done * sector_bytes;
    if (found == pieces_->end()) {
      for (std::uint64_t i = 0; i < count; ++i) made_up(token, first + done + i, to + i * sector_bytes);
    } else if (const Piece& piece = found->second; piece.kind == Kind::Word) {
      fill_words(to, count * sector_bytes, piece.place);
    } else {
      if (piece.kind == Kind::File) read_piece(piece);
      const std::byte* const from = piece.kind == Kind::File ? buffer_.data() : slot(piece.place);
      std::copy_n(from + (first + done) % piece_sectors_ * sector_bytes, count * sector_bytes, to);
    }
    done += count;
  }
}

void PayloadStore::release(const Piece& piece) {
  if (piece.kind == Kind::File) file_.release({piece.place, piece.bytes});
  if (piece.kind != Kind::Memory) return;
  owners_[piece.place] = {};
  free_slots_.push_back(piece.place);
}

void PayloadStore::gone(SectorToken token, std::uint64_t sector) {
  if (!shape_.forgets) return;
  const auto found = pieces_->find({sector / piece_sectors_, token});
  if (found == pieces_->end()) return;  // nobody has put it
  const auto bit = static_cast<std::uint8_t>(1U << sector % piece_sectors_);
  if ((found->second.live & bit) == 0) return;
  --sectors_;
  found->second.live &= static_cast<std::uint8_t>(~bit);
  if (found->second.live != 0) return;
  release(found->second);
  pieces_->erase(found);
}

bool PayloadStore::corrupt(SectorToken token, std::uint64_t sector) {
  const auto found = pieces_->find({sector / piece_sectors_, token});
  if (found == pieces_->end()) return false;
  const Key key = found->first;
  const Piece piece = found->second;
  std::vector<SectorToken> tokens(piece_sectors_, token);
  std::vector<std::byte> bytes(piece_bytes_);
  get(tokens.data(), key.group * piece_sectors_, piece_sectors_, bytes.data());
  bytes[sector % piece_sectors_ * shape_.sector_bytes + shape_.sector_bytes / 2] ^= std::byte{1};
  release(piece);
  pieces_->erase(key);
  const auto first = static_cast<std::uint32_t>(std::countr_zero(piece.live));
  const auto all = static_cast<std::uint8_t>((1U << piece_sectors_) - (1U << first));
  sectors_ -= static_cast<std::uint64_t>(std::popcount(piece.live));
  put_piece(key, all, first * shape_.sector_bytes, bytes.data() + first * shape_.sector_bytes);
  return true;
}

PayloadStore::Figures PayloadStore::figures() const {
  Figures figures{.sectors = sectors_, .pieces = pieces_->size(), .file_bytes = file_.used_bytes()};
  for (const auto& [key, piece] : *pieces_) {
    if (piece.kind == Kind::Memory) ++figures.memory_pieces;
    if (piece.kind == Kind::File) ++figures.file_pieces;
  }
  return figures;
}

void PayloadStore::state(StateArchive& archive) {
  archive.part("bytes");
  std::vector<Key> keys;  // sorted: the order of a hash table is not reproducible
  for (const auto& [key, piece] : *pieces_) keys.push_back(key);
  std::sort(keys.begin(), keys.end(),
            [](const Key& a, const Key& b) { return a.group != b.group ? a.group < b.group : a.token < b.token; });
  std::uint64_t count = keys.size();
  archive(count);
  std::vector<std::byte> bytes(piece_bytes_);
  std::vector<SectorToken> tokens(piece_sectors_);
  for (std::uint64_t i = 0; i < count; ++i) {
    Key key = archive.loading() ? Key{} : keys[i];
    std::uint8_t live = archive.loading() ? std::uint8_t{0} : pieces_->at(key).live;
    archive(key.group, key.token, live);
    // From its first live sector to its last.
    const auto first = static_cast<std::uint32_t>(std::countr_zero(live));
    const auto sectors = static_cast<std::uint32_t>(std::bit_width(live)) - first;
    if (!archive.loading()) {
      std::fill(tokens.begin(), tokens.end(), key.token);
      get(tokens.data(), key.group * piece_sectors_ + first, sectors, bytes.data());
      for (std::uint32_t s = 0; s < sectors; ++s)  // what is forgotten in between may be anything
        if ((live >> (first + s) & 1) == 0)
          std::fill_n(bytes.data() + s * shape_.sector_bytes, shape_.sector_bytes, std::byte{0});
    }
    archive.table(bytes.data(), std::size_t{sectors} * shape_.sector_bytes);
    if (!archive.loading()) continue;
    put(key.token, key.group * piece_sectors_ + first, sectors, bytes.data());
    for (std::uint32_t sector = first; sector < first + sectors; ++sector)
      if ((live >> sector & 1) == 0) gone(key.token, key.group * piece_sectors_ + sector);
  }
}

}  // namespace flashloom
