// The tables of an index, and how a file is recognised as one.
#pragma once

#include <cstdint>

#include "base/function_ref.hpp"
#include "index/store/database.hpp"

namespace lore::index {

inline constexpr std::int64_t kSchemaVersion = 1;
/// "LORE", in the header of the file (PRAGMA application_id).
inline constexpr std::int64_t kApplicationId = 0x4C4F5245;

enum class SchemaState {
  missing,  ///< an empty database: its making was cut short before anything was stored
  current,
};

/// Tells what the file holds. Throws Error{corrupt} for a database of something else and
/// Error{unsupported} for a newer schema.
SchemaState inspect_schema(Database& database);

/// Makes the tables where they are missing, with what `fill` puts into them, in one transaction,
/// and sets what holds for every writing connection: WAL, synchronous=FULL. Throws as
/// inspect_schema does.
void prepare_for_writing(Database& database, FunctionRef<void(Database&)> fill);

}  // namespace lore::index
