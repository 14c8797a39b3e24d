// Rebuilds the cross-reference of a damaged PDF.
#pragma once

#include <string>
#include <string_view>

namespace lore::ingest::pdf {

/// The document with everything before its header taken away and a new cross-reference stream at
/// its end, built from the objects that are found by scanning; the last one of a number wins.
/// Members of object streams are found unless the document is encrypted. Empty where the bytes
/// hold no objects or nothing that could be the catalog.
std::string rebuild_cross_reference(std::string_view bytes);

}  // namespace lore::ingest::pdf
