//! It worked yesterday, today it does not: why?

fn main() -> std::process::ExitCode {
    yester::main()
}
