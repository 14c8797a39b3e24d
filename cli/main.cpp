#include "cli/app.hpp"

int main(int argc, char** argv) { return lore::cli::run(argc, argv); }
