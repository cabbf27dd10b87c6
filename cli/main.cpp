// SPDX-License-Identifier: MIT
// The command `dermis`: one verb, its options, one exit code.
#include <fmt/format.h>

#include <vector>

#include "cli.h"

int main(int argc, char** argv) {
  using namespace dermis;
  using namespace dermis::cli;
  listen_to_interrupts();
  CLI::App app{"dermis: a mesh goes in, a moving character comes out", "dermis"};
  app.set_version_flag("--version", fmt::format("dermis {}", version()));
  app.require_subcommand(1);
  app.footer("Exit codes: 0 fine, 1 error, 2 usage, 3 a check failed.\nStart with: dermis demo");
  const std::vector<Verb> verbs = {add_demo(app),   add_info(app),    add_convert(app), add_make(app),
                                   add_deform(app), add_compare(app), add_methods(app), add_bench(app)};
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kFine : kUsage;
  }
  for (const Verb& verb : verbs) {
    if (verb.app->parsed()) return verb.run();
  }
  return kUsage;
}
