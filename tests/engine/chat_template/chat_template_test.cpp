#include "engine/tokenizer/chat_template.hpp"
#include <gtest/gtest.h>
TEST(X, Y) {}
