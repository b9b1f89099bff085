//! What is known about functions of the C and C++ libraries.

use super::printer::PRINTERS;
use crate::ir::{Opcode, Value};

/// Functions with a model: `__yester_model_NAME` replaces NAME.
pub const MODELS: &[&str] = &[
    "strlen",
    "strnlen",
    "strchr",
    "strrchr",
    "strstr",
    "strspn",
    "strcspn",
    "strpbrk",
    "memchr",
    "strcmp",
    "strncmp",
    "strcasecmp",
    "strncasecmp",
    "memcmp",
    "bcmp",
    "memcpy",
    "memmove",
    "mempcpy",
    "memset",
    "strcpy",
    "stpcpy",
    "strncpy",
    "strcat",
    "strncat",
    "strdup",
    "strndup",
    "__ctype_b_loc",
    "__ctype_tolower_loc",
    "__ctype_toupper_loc",
    "isupper",
    "islower",
    "isalpha",
    "isdigit",
    "isxdigit",
    "isspace",
    "isprint",
    "isgraph",
    "isblank",
    "iscntrl",
    "ispunct",
    "isalnum",
    "isascii",
    "toascii",
    "tolower",
    "toupper",
    "abs",
    "labs",
    "llabs",
    "atoi",
    "atol",
    "atoll",
    "atof",
    "strtod",
    "strtof",
    "strtol",
    "strtoll",
    "strtoul",
    "strtoull",
    "__isoc23_strtol",
    "__isoc23_strtoll",
    "__isoc23_strtoul",
    "__isoc23_strtoull",
    "malloc",
    "calloc",
    "aligned_alloc",
    "posix_memalign",
    "realloc",
    "free",
    "fgetc",
    "getc",
    "_IO_getc",
    "fgetc_unlocked",
    "getc_unlocked",
    "getchar",
    "getchar_unlocked",
    "ungetc",
    "fgets",
    "fread",
    "fread_unlocked",
    "getdelim",
    "getline",
    "fopen",
    "fopen64",
    "fdopen",
    "freopen",
    "fclose",
    "fseek",
    "fseeko",
    "rewind",
    "clearerr",
    "ftell",
    "ftello",
    "feof",
    "fstat",
    "fstat64",
    "lseek",
    "lseek64",
    "read",
    "write",
    "writev",
    "pread",
    "pread64",
    "mmap",
    "mmap64",
    "munmap",
    "strtok",
    "strtok_r",
    "__strtok_r",
    "qsort",
    "bsearch",
    "vsscanf",
    "vfscanf",
    "vscanf",
    "__isoc99_vsscanf",
    "__isoc99_vfscanf",
    "__isoc99_vscanf",
    "__isoc23_vsscanf",
    "__isoc23_vfscanf",
    "__isoc23_vscanf",
    "fgets_unlocked",
    "readv",
    "vsprintf",
    "vsnprintf",
    "vasprintf",
    "__vsprintf_chk",
    "__vsnprintf_chk",
    "__vasprintf_chk",
    // std::_Hash_bytes.
    "_ZSt11_Hash_bytesPKvmm",
];

/// Functions that write no memory whose shadow matters. Only their result can depend on the input: through their integer
/// arguments and their [`STRINGS`].
pub const HARMLESS: &[&str] = &[
    "puts",
    "putchar",
    "putc",
    "fputc",
    "fputs",
    "fwrite",
    "putchar_unlocked",
    "putc_unlocked",
    "fputc_unlocked",
    "fputs_unlocked",
    "fwrite_unlocked",
    "_IO_putc",
    "putw",
    "perror",
    "fflush",
    "setbuf",
    "setvbuf",
    "setlinebuf",
    "exit",
    "_exit",
    "_Exit",
    "quick_exit",
    "abort",
    "atexit",
    "__assert_fail",
    "close",
    "unlink",
    "remove",
    "getenv",
    "secure_getenv",
    "getpid",
    "getppid",
    "getuid",
    "geteuid",
    "isatty",
    "fileno",
    "feof",
    "ferror",
    "clock",
    "rand",
    "random",
    "srand",
    "srandom",
    "sleep",
    "usleep",
    "sched_yield",
    "setlocale",
    "strerror",
    "longjmp",
    "_longjmp",
    "siglongjmp",
    "setjmp",
    "_setjmp",
    "__sigsetjmp",
    "sigsetjmp",
    "signal",
    "raise",
    "kill",
    "alarm",
    "sysconf",
    "__errno_location",
    "open",
    "open64",
    "openat",
    "creat",
    "dup",
    "dup2",
    "chdir",
    "mkdir",
    "rmdir",
    "rename",
    "access",
    "system",
    "fork",
    "vfork",
    "err",
    "errx",
    "warn",
    "warnx",
    "syslog",
    "flockfile",
    "funlockfile",
    "__stack_chk_fail",
    "tmpfile",
    "pclose",
    "popen",
    "lseek",
    "lseek64",
    "ftruncate",
    "isnan",
    "isinf",
    "fabs",
    "sqrt",
    "pow",
    "exp",
    "log",
    "log10",
    "sin",
    "cos",
    "tan",
    "floor",
    "ceil",
    "round",
    "trunc",
    "fmod",
    "malloc_usable_size",
    "pthread_mutex_lock",
    "pthread_mutex_unlock",
    "__cxa_throw",
    "__cxa_rethrow",
    "__cxa_begin_catch",
    "__cxa_end_catch",
    "__cxa_allocate_exception",
    "__cxa_free_exception",
    "__cxa_atexit",
    "__cxa_guard_acquire",
    "__cxa_guard_release",
    "__cxa_guard_abort",
    "_Unwind_Resume",
    "__clang_call_terminate",
    "_ZSt9terminatev",
    // Operator delete, what links the nodes of maps, sets and lists, and allocators, which do nothing.
    "_ZdlPv",
    "_ZdlPvm",
    "_ZdaPv",
    "_ZdaPvm",
    "_ZdlPvSt11align_val_t",
    "_ZdlPvmSt11align_val_t",
    "_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_",
    "_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_",
    "_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base",
    "_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base",
    "_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base",
    "_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base",
    "_ZNSt8__detail15_List_node_base7_M_hookEPS0_",
    "_ZNSt8__detail15_List_node_base9_M_unhookEv",
    "_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_",
    "_ZNSt8__detail15_List_node_base10_M_reverseEv",
    // When hash tables grow.
    "_ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm",
    "_ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm",
    "_ZNSaIcEC1Ev",
    "_ZNSaIcEC2Ev",
    "_ZNSaIcEC1ERKS_",
    "_ZNSaIcEC2ERKS_",
    "_ZNSaIcED1Ev",
    "_ZNSaIcED2Ev",
    "_ZNSaIwEC1Ev",
    "_ZNSaIwEC2Ev",
    "_ZNSaIwEC1ERKS_",
    "_ZNSaIwEC2ERKS_",
    "_ZNSaIwED1Ev",
    "_ZNSaIwED2Ev",
    // Locales and their facets, which no input is in.
    "_ZNSt6localeC1Ev",
    "_ZNSt6localeC1ERKS_",
    "_ZNSt6localeD1Ev",
    "_ZNKSt6locale2id5_M_idEv",
    "_ZSt9has_facetISt5ctypeIcEEbRKSt6locale",
    "_ZSt9use_facetISt5ctypeIcEERKT_RKSt6locale",
    "_ZSt9has_facetISt7num_getIcSt19istreambuf_iteratorIcSt11char_traitsIcEEEEbRKSt6locale",
    "_ZSt9use_facetISt7num_getIcSt19istreambuf_iteratorIcSt11char_traitsIcEEEERKT_RKSt6locale",
    "_ZSt9has_facetISt7num_putIcSt19ostreambuf_iteratorIcSt11char_traitsIcEEEEbRKSt6locale",
    "_ZSt9use_facetISt7num_putIcSt19ostreambuf_iteratorIcSt11char_traitsIcEEEERKT_RKSt6locale",
    "_ZNSt5ctypeIcE13classic_tableEv",
    "_ZNSt8ios_baseC2Ev",
    "_ZNSt8ios_baseD2Ev",
    "_ZNSt8ios_base7_M_initEv",
    "_ZNSt6locale7classicEv",
    // Files under the streams of C++, but for what reads and writes.
    "_ZNSt12__basic_fileIcEC1EP15pthread_mutex_t",
    "_ZNSt12__basic_fileIcED1Ev",
    "_ZNKSt12__basic_fileIcE7is_openEv",
    "_ZNSt12__basic_fileIcE2fdEv",
    "_ZNSt12__basic_fileIcE4openEPKcSt13_Ios_Openmodei",
    "_ZNSt12__basic_fileIcE5closeEv",
    "_ZNSt12__basic_fileIcE4syncEv",
    "_ZNSt12__basic_fileIcE7seekoffElSt12_Ios_Seekdir",
    "_ZNSt12__basic_fileIcE9showmanycEv",
    "_ZSt9has_facetISt7codecvtIcc11__mbstate_tEEbRKSt6locale",
    "_ZSt9use_facetISt7codecvtIcc11__mbstate_tEERKT_RKSt6locale",
    "_ZNKSt23__codecvt_abstract_baseIcc11__mbstate_tE13always_noconvEv",
    "_ZNKSt23__codecvt_abstract_baseIcc11__mbstate_tE8encodingEv",
    "_ZNKSt7__cxx118numpunctIcE8groupingEv",
    "_ZNKSt6localeeqERKS_",
    "_ZSt9use_facetISt8numpunctIcEERKT_RKSt6locale",
    "_ZSt20__throw_length_errorPKc",
    "_ZSt19__throw_logic_errorPKc",
    "_ZSt20__throw_out_of_rangePKc",
    "_ZSt24__throw_out_of_range_fmtPKcz",
    "_ZSt17__throw_bad_allocv",
    "_ZSt28__throw_bad_array_new_lengthv",
];

/// Harmless functions that fill memory at their first argument with what no input is in: so many bytes.
pub const BUILDERS: &[(&str, u64)] = &[
    ("_ZNSt8ios_baseC2Ev", SIZE_OF_IOS_BASE),
    ("_ZNSt8ios_base7_M_initEv", SIZE_OF_IOS_BASE),
    // It returns a string there.
    ("_ZNKSt7__cxx118numpunctIcE8groupingEv", 32),
];

const SIZE_OF_IOS_BASE: u64 = 216;

/// Which arguments of a harmless function are strings that its result depends on; at most two.
pub const STRINGS: &[(&str, &[usize])] = &[
    ("puts", &[0]),
    ("_ZNSt12__basic_fileIcE4openEPKcSt13_Ios_Openmodei", &[1]),
    ("unlink", &[0]),
    ("remove", &[0]),
    ("getenv", &[0]),
    ("secure_getenv", &[0]),
    ("setlocale", &[1]),
    ("open", &[0]),
    ("open64", &[0]),
    ("openat", &[1]),
    ("creat", &[0]),
    ("chdir", &[0]),
    ("mkdir", &[0]),
    ("rmdir", &[0]),
    ("rename", &[0, 1]),
    ("access", &[0]),
    ("system", &[0]),
    ("popen", &[0, 1]),
];

/// Harmless functions whose result only says whether something was written.
pub const OUTPUTS: &[&str] = &[
    "putchar",
    "putc",
    "fputc",
    "fwrite",
    "putchar_unlocked",
    "putc_unlocked",
    "fputc_unlocked",
    "fwrite_unlocked",
    "_IO_putc",
    "putw",
];

/// Functions that keep an integer, on which the results of other functions depend later.
pub const KEEPERS: &[&str] = &["srand", "srandom", "longjmp", "_longjmp", "siglongjmp"];

/// Functions that read input and have no model, with the origin of the input.
pub const READERS: &[(&str, InputOrigin)] = &[
    ("preadv", InputOrigin::Descriptor(0)),
    ("preadv64", InputOrigin::Descriptor(0)),
    ("preadv2", InputOrigin::Descriptor(0)),
    ("recv", InputOrigin::Descriptor(0)),
    ("recvfrom", InputOrigin::Descriptor(0)),
    ("recvmsg", InputOrigin::Descriptor(0)),
    ("splice", InputOrigin::Descriptor(0)),
    ("tee", InputOrigin::Descriptor(0)),
    ("sendfile", InputOrigin::Descriptor(1)),
    ("sendfile64", InputOrigin::Descriptor(1)),
    ("copy_file_range", InputOrigin::Descriptor(0)),
    ("__read_chk", InputOrigin::Descriptor(0)),
    ("__pread_chk", InputOrigin::Descriptor(0)),
    ("__fgets_chk", InputOrigin::Stream(3)),
    ("__fread_chk", InputOrigin::Stream(4)),
    ("getw", InputOrigin::Stream(0)),
    ("fgetwc", InputOrigin::Stream(0)),
    ("getwc", InputOrigin::Stream(0)),
    ("fgetwc_unlocked", InputOrigin::Stream(0)),
    ("getwc_unlocked", InputOrigin::Stream(0)),
    ("fgetws", InputOrigin::Stream(2)),
    ("fwscanf", InputOrigin::Stream(0)),
    ("__isoc99_fwscanf", InputOrigin::Stream(0)),
    ("__isoc23_fwscanf", InputOrigin::Stream(0)),
    // Members of std::istream and helpers of it that are in the shared object.
    ("_ZSt17__istream_extractRSiPcl", InputOrigin::Anywhere),
    (
        "_ZNSolsEPSt15basic_streambufIcSt11char_traitsIcEE",
        InputOrigin::Anywhere,
    ),
    (
        "_ZSt21__copy_streambufs_eofIcSt11char_traitsIcEElPSt15basic_streambufIT_T0_ES6_Rb",
        InputOrigin::Anywhere,
    ),
    ("gets", InputOrigin::Input),
    ("__gets_chk", InputOrigin::Input),
    ("getwchar", InputOrigin::Input),
    ("getwchar_unlocked", InputOrigin::Input),
    ("wscanf", InputOrigin::Input),
    ("__isoc99_wscanf", InputOrigin::Input),
    ("__isoc23_wscanf", InputOrigin::Input),
];

/// Where a function reads from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputOrigin {
    /// The file descriptor in this argument.
    Descriptor(usize),
    /// The stream in this argument.
    Stream(usize),
    /// Standard input.
    Input,
    /// Some stream of the C++ library.
    Anywhere,
}

/// Functions that write only through the arguments listed here.
pub const WRITERS: &[(&str, &[usize])] = &[
    ("strtold", &[1]),
    ("strcoll", &[]),
    ("time", &[0]),
    ("gettimeofday", &[0, 1]),
    ("clock_gettime", &[1]),
    ("stat", &[1]),
    ("fstat", &[1]),
    ("lstat", &[1]),
    ("getcwd", &[0]),
    ("strftime", &[0]),
    ("localtime", &[]),
    ("gmtime", &[]),
    ("mktime", &[0]),
    ("strerror_r", &[1]),
    ("getopt", &[]),
    ("getopt_long", &[4]),
    ("setenv", &[]),
    ("putenv", &[]),
    ("execv", &[]),
    ("execvp", &[]),
    ("execve", &[]),
    ("pipe", &[0]),
    ("wait", &[0]),
    ("waitpid", &[1]),
    ("wctomb", &[0]),
    ("mbtowc", &[0]),
    ("fgetpos", &[1]),
];

/// The scanf family, by what they read: 0 a string, 1 a stream, 2 standard input.
pub const SCANNERS: &[(&str, u32)] = &[
    ("sscanf", 0),
    ("fscanf", 1),
    ("scanf", 2),
    ("__isoc99_sscanf", 0),
    ("__isoc99_fscanf", 1),
    ("__isoc99_scanf", 2),
    ("__isoc23_sscanf", 0),
    ("__isoc23_fscanf", 1),
    ("__isoc23_scanf", 2),
];
/// How many pointers a call of scanf may have. The runtime has the same limit.
pub const MOST_SCANNED: usize = 24;

/// Library functions of the lists above that may call functions of the program, and those whose names programs often use for
/// functions of their own.
const CALLERS: &[&str] = &[
    "qsort",
    "bsearch",
    "exit",
    "quick_exit",
    "abort",
    "__assert_fail",
    "raise",
    "kill",
    "err",
    "errx",
    "warn",
    "warnx",
    "__cxa_throw",
    "__cxa_rethrow",
    "__cxa_end_catch",
    "_ZSt9terminatev",
    "_ZdlPv",
    "_ZdlPvm",
    "_ZdaPv",
    "_ZdaPvm",
    "_ZdlPvSt11align_val_t",
    "_ZdlPvmSt11align_val_t",
];

/// Whether a function is a library function that never calls back into the program.
#[must_use]
pub fn is_closed(function: Value) -> bool {
    let name = function.name();
    let name = name.as_str();
    function.is_declaration()
        && !CALLERS.contains(&name)
        && (HARMLESS.contains(&name)
            || is_modelled(function)
            || WRITERS.iter().any(|(writer, _)| *writer == name)
            || PRINTERS.iter().any(|printer| printer.name == name)
            || SCANNERS.iter().any(|(scanner, _)| *scanner == name))
}

/// Whether a function is a declaration of a library function with a model. Programs have a `getline` of their own, so the number
/// of parameters counts. Without a prototype, as in old C, the calls tell it.
#[must_use]
pub fn is_modelled(function: Value) -> bool {
    let name = function.name();
    if !function.is_declaration() || !MODELS.contains(&name.as_str()) {
        return false;
    }
    let (kind, expected) = (function.value_type(), parameters(&name));
    if !kind.is_variadic() {
        return kind.parameters().len() == expected;
    }
    kind.parameters().is_empty()
        && function.users().all(|user| {
            !user.is_instruction()
                || !matches!(user.opcode(), Opcode::LLVMCall | Opcode::LLVMInvoke)
                || user.callee() != function
                || user.arguments().len() == expected
        })
}

/// How many parameters a library function with a model has.
fn parameters(name: &str) -> usize {
    match name {
        "getchar"
        | "getchar_unlocked"
        | "__ctype_b_loc"
        | "__ctype_tolower_loc"
        | "__ctype_toupper_loc" => 0,
        "strlen" | "strdup" | "isupper" | "islower" | "isalpha" | "isdigit" | "isxdigit"
        | "isspace" | "isprint" | "isgraph" | "isblank" | "iscntrl" | "ispunct" | "isalnum"
        | "isascii" | "toascii" | "tolower" | "toupper" | "abs" | "labs" | "llabs" | "atof"
        | "atoi" | "atol" | "atoll" | "malloc" | "free" | "fgetc" | "getc" | "_IO_getc"
        | "fgetc_unlocked" | "getc_unlocked" | "fclose" | "feof" | "rewind" | "clearerr"
        | "ftell" | "ftello" => 1,
        "strnlen" | "strchr" | "strrchr" | "strstr" | "strspn" | "strcspn" | "strpbrk"
        | "strcmp" | "strcasecmp" | "strcpy" | "stpcpy" | "strcat" | "strndup" | "calloc"
        | "realloc" | "aligned_alloc" | "ungetc" | "fopen" | "fopen64" | "fdopen" | "munmap"
        | "strtok" | "strtod" | "strtof" | "fstat" | "fstat64" | "vscanf" | "__isoc99_vscanf"
        | "__isoc23_vscanf" => 2,
        "fread" | "fread_unlocked" | "getdelim" | "pread" | "pread64" | "qsort" | "vsnprintf"
        | "__vasprintf_chk" => 4,
        "bsearch" | "__vsprintf_chk" => 5,
        "mmap" | "mmap64" | "__vsnprintf_chk" => 6,
        _ => 3,
    }
}
