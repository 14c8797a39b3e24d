// The model families: each declares its graph from a file.
#pragma once

#include "engine/model/builder.hpp"

namespace lore::engine::model {

Description build_bert(Builder& builder);
Description build_llama(Builder& builder);
Description build_qwen2(Builder& builder);
Description build_gemma3(Builder& builder);

}  // namespace lore::engine::model
