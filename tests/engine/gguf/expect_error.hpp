// An error and all that its message must name.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "lore/error.hpp"

namespace lore::test {

/// `call` must throw lore::Error of this code, in one line that holds all of `words`.
template <typename Call>
void expect_error(ErrorCode code, const std::vector<std::string>& words, const Call& call) {
  try {
    call();
    ADD_FAILURE() << "no error, expected one about " << testing::PrintToString(words);
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_EQ(error.code(), code) << message;
    EXPECT_EQ(std::count(message.begin(), message.end(), '\n'), 0) << message;
    for (const std::string& word : words) EXPECT_THAT(message, testing::HasSubstr(word));
  }
}

}  // namespace lore::test
