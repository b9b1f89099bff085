fn main() {
    let near = |value: f64, wanted: f64| (value - wanted).abs() < 0.001;
    let is_sane = near(strsim::jaro("dixon", "dicksonx"), 0.767)
        && near(strsim::jaro_winkler("martha", "marhta"), 0.961)
        && strsim::levenshtein("kitten", "sitting") == 3;
    let similarity = strsim::jaro_winkler("cheeseburger", "cheese fries");
    let code = match is_sane {
        true if near(similarity, 0.911) => 0,
        true if near(similarity, 0.866) => 1,
        _ => 125,
    };
    println!("{similarity}");
    std::process::exit(code)
}
