// SPDX-License-Identifier: MIT
// The command `dermis`: one verb, its options, one exit code.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <vector>

#include "cli.h"

namespace dermis::cli {
namespace {

// The verb as typed: the first word that is not an option.
std::string_view typed_verb(std::span<char*> words) {
  const auto is_word = [](std::string_view word) { return !word.starts_with('-'); };
  const auto found = std::find_if(words.begin(), words.end(), is_word);
  return found == words.end() ? std::string_view{} : std::string_view(*found);
}

// A wrong call, reported like all errors: one sentence, and JSON if requested.
int refuse_call(std::string_view verb, std::span<char*> words, const std::string& sentence) {
  Common common;
  common.json =
      std::any_of(words.begin(), words.end(), [](std::string_view word) { return word == "--json"; });
  return report_error(std::string(verb).c_str(), common, {Errc::usage, sentence});
}

// What other programs call a verb of ours.
struct OtherWord {
  std::string_view word, verb;
};
constexpr std::array kOtherWords{
    OtherWord{"retarget", "animate"}, OtherWord{"autorig", "rig"},    OtherWord{"skin", "bind"},
    OtherWord{"pose", "deform"},      OtherWord{"validate", "check"}, OtherWord{"lint", "check"},
    OtherWord{"fix", "check --fix"},  OtherWord{"diff", "compare"},   OtherWord{"view", "render"},
    OtherWord{"export", "convert"},   OtherWord{"import", "convert"}, OtherWord{"generate", "make"},
    OtherWord{"inspect", "info"},     OtherWord{"benchmark", "bench"}};

// The verb for another program's word, or for an operation without its verb ("mirror"); empty: none.
std::string verb_for(std::string_view typed, std::span<const Verb> verbs) {
  const auto known = std::find_if(kOtherWords.begin(), kOtherWords.end(),
                                  [&](const OtherWord& row) { return row.word == typed; });
  if (known != kOtherWords.end()) return std::string(known->verb);
  for (const Verb& verb : verbs) {
    for (const CLI::App* operation : verb.app->get_subcommands([](const CLI::App*) { return true; })) {
      if (operation->get_name() == typed) return verb.app->get_name() + " " + operation->get_name();
    }
  }
  return {};
}

int refuse_verb(std::string_view typed, std::span<const Verb> verbs, std::span<char*> words) {
  std::vector<std::string> names;
  names.reserve(verbs.size());
  for (const Verb& verb : verbs) names.push_back(verb.app->get_name());
  const std::vector<std::string_view> views(names.begin(), names.end());
  std::string meant(nearest_name(typed, views));
  if (const std::string other = verb_for(typed, verbs); meant.empty()) meant = other;
  return refuse_call("", words,
                     meant.empty()
                         ? fmt::format("there is no verb '{}'; 'dermis --help' lists the verbs", typed)
                         : fmt::format("there is no verb '{}'; did you mean '{}'?", typed, meant));
}

// The error for an unknown operation of a verb that has operations; empty: no error.
std::string wrong_operation(const CLI::App& verb, std::span<char*> arguments) {
  const std::vector<const CLI::App*> operations = verb.get_subcommands([](const CLI::App*) { return true; });
  const auto typed = std::find(arguments.begin(), arguments.end(), verb.get_name());
  const std::string_view operation = typed_verb({typed + 1, arguments.end()});
  std::vector<std::string> names;
  std::transform(operations.begin(), operations.end(), std::back_inserter(names),
                 [](const CLI::App* one) { return one->get_name(); });
  if (operations.empty() || operation.empty() ||
      std::find(names.begin(), names.end(), operation) != names.end())
    return {};
  const std::vector<std::string_view> views(names.begin(), names.end());
  return fmt::format("there is no operation '{}'{}", operation, did_you_mean(operation, views));
}

// The app that reads the options: an operation of the verb, or the verb itself.
const CLI::App& typed_app(const CLI::App& verb, std::span<char*> arguments) {
  const auto typed = std::find(arguments.begin(), arguments.end(), verb.get_name());
  const std::string_view operation = typed_verb({typed + 1, arguments.end()});
  for (const CLI::App* one : verb.get_subcommands([](const CLI::App*) { return true; })) {
    if (one->get_name() == operation) return *one;
  }
  return verb;
}

// The error for the first option that the app does not have; empty: it has them all.
std::string wrong_option(const CLI::App& app, std::span<char*> arguments) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  for (const std::string_view word : arguments) {
    if (word == "--") break;
    const bool is_option = word.size() > 1 && word[0] == '-' &&
                           (word[1] == '-' || std::isalpha(static_cast<unsigned char>(word[1])) != 0);
    const std::string_view typed =
        word.starts_with("--") ? word.substr(0, word.find('=')) : word.substr(0, 2);
    if (!is_option || app.get_option_no_throw(std::string(typed)) != nullptr) continue;
    return fmt::format("there is no option '{}'{}", typed, did_you_mean(typed, views));
  }
  return {};
}

// If the caller closed a stream, the next opened file would get its number, and printed text would end up
// there. Read-only, so that printing to it still fails.
void hold_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) == -1) ::open("/dev/null", O_RDONLY);  // takes the lowest free number
  }
}

// True for a pipe that nobody reads anymore.
bool is_reader_gone(int stream) {
  struct pollfd asked {
    stream, POLLOUT, 0
  };
  return ::poll(&asked, 1, 0) == 1 && (asked.revents & POLLERR) != 0;
}

// All output must have arrived: a full disk is a failure too. A reader that stopped early, such as `head`, is
// not.
int close_output(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  if (is_reader_gone(STDOUT_FILENO)) return code;
  print_to(stderr, "dermis: cannot write to the output\n");
  return kError;
}

// Shows dots only after options that take several values at once: a repeatable option takes one each time.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override {
    std::string text = CLI::Formatter::make_option_opts(option);
    const std::size_t dots = text.find(" ...");
    if (!option->get_positional() && !option->get_allow_extra_args() && dots != std::string::npos)
      text.erase(dots, 4);
    return text;
  }
};

int run(std::span<char*> words);

// `dermis help VERB` is `dermis VERB --help`.
int run_help(std::span<char*> words) {
  const auto is_help = [](std::string_view word) { return word == "help"; };
  const auto help = std::find_if(words.begin() + 1, words.end(), is_help);
  std::string verb(typed_verb({help + 1, words.end()})), flag = "--help";
  std::vector<char*> asked = {words[0], verb.data(), flag.data()};
  if (verb.empty()) asked.erase(asked.begin() + 1);
  return run(asked);
}

int run(std::span<char*> words) {
  CLI::App app{"dermis: a mesh goes in, a moving character comes out", "dermis"};
  app.set_version_flag("--version", fmt::format("dermis {}", version()));
  app.formatter(std::make_shared<HelpFormatter>());  // before the verbs, which inherit it
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 fine, 1 error, 2 usage, 3 a check failed or the result is doubtful.\nStart with: dermis "
      "demo");
  const std::vector<Verb> verbs = {add_demo(app),    add_info(app),    add_check(app),   add_convert(app),
                                   add_make(app),    add_deform(app),  add_bake(app),    add_rig(app),
                                   add_bind(app),    add_animate(app), add_weights(app), add_shapes(app),
                                   add_helpers(app), add_combine(app), add_compare(app), add_render(app),
                                   add_methods(app), add_formats(app), add_notes(app),   add_schema(app),
                                   add_bench(app)};
  const std::span<char*> arguments = words.subspan(1);
  const std::string_view typed = typed_verb(arguments);
  if (arguments.empty()) {
    print_to(stderr, app.help());
    return kUsage;
  }
  if (typed == "help") return run_help(words);
  const auto is_typed = [&](const Verb& verb) { return verb.app->get_name() == typed; };
  const auto verb_typed = std::find_if(verbs.begin(), verbs.end(), is_typed);
  if (!typed.empty() && verb_typed == verbs.end()) return refuse_verb(typed, verbs, arguments);
  if (!typed.empty()) {
    const std::string wrong = wrong_operation(*verb_typed->app, arguments);
    if (!wrong.empty()) return refuse_call(typed, arguments, wrong);
  }
  try {
    app.parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help and --version
    const CLI::App& asked = typed.empty() ? app : typed_app(*verb_typed->app, arguments);
    std::string help = "dermis";
    if (!typed.empty()) help += fmt::format(" {}", typed);
    if (!typed.empty() && &asked != verb_typed->app) help += fmt::format(" {}", asked.get_name());
    const std::string wrong = wrong_option(asked, arguments);
    return refuse_call(typed, arguments,
                       fmt::format("{}; see {} --help", wrong.empty() ? error.what() : wrong, help));
  }
  for (const Verb& verb : verbs) {
    if (verb.app->parsed()) return verb.run();
  }
  return kUsage;
}

// What is thrown outside of the verbs: mostly memory that runs out while options are read or a report is
// printed. Prints without allocating.
int refuse_exception() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    std::fputs("dermis: not enough memory\n", stderr);
  } catch (const std::exception& error) {
    print_to(stderr, "dermis: ");
    print_to(stderr, error.what());
    print_to(stderr, "\n");
  }
  return kError;
}

// A library may run out of memory where it promised not to throw: CLI11 while options are set up,
// nlohmann::json in its destructor. That ends the program, with a sentence all the same.
std::terminate_handler handler_before = nullptr;
[[noreturn]] void on_terminate() {
  try {
    if (std::current_exception() != nullptr) throw;
  } catch (const std::bad_alloc&) {
    const int code = refuse_exception();
    remove_leftovers();
    std::_Exit(code);
  } catch (...) {
  }
  handler_before();
  std::abort();
}

}  // namespace
}  // namespace dermis::cli

int main(int argc, char** argv) {
  dermis::cli::hold_closed_streams();
  dermis::cli::listen_to_interrupts();
  dermis::cli::handler_before = std::set_terminate(dermis::cli::on_terminate);
  const std::span<char*> words(argv, static_cast<std::size_t>(argc));
  try {
    dermis::cli::remember_command(words);
    return dermis::cli::close_output(dermis::cli::run(words));
  } catch (...) {
    return dermis::cli::refuse_exception();
  }
}
