import Testing

/// Tests of stores of the corpus, one after the other: some of its files are the same store at
/// different times, of which only one may be open.
@Suite(.serialized) struct CorpusStoreTests {}
