//! Programs with symbolic input: what they record is true, and what depends on the input can be turned.

mod adversary;
mod argument;
mod arithmetic;
mod cxx;
mod decimal;
mod expression;
mod float;
mod laboratory;
mod language;
mod length;
mod library;
mod matching;
mod old;
mod order;
mod output;
mod output_stream;
mod predicate;
mod print;
mod relevance;
mod soundness;
mod stream;
