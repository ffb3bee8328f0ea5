import DocumentationSupport
import Testing

/// The rules for the pages of the documentation catalogues.
struct ArticleRuleTests {
    @Test func articlesShowTheCodeOfTheTests() throws {
        let snippets = try Snippets.read()
        var shown: Set<String> = []
        for article in try Article.all() {
            shown.formUnion(article.snippetNames)
            let text = try article.showing(snippets)
            #expect(text == article.text, "\(article.path) is stale; run Scripts/docs")
        }
        #expect(Set(snippets.code.keys).subtracting(shown).sorted() == [])
    }

    /// Code that no test runs is only shown where it cannot be: a manifest, another language.
    @Test func allCodeInArticlesIsTested() throws {
        for article in try Article.all() {
            let blocks = article.text.matches(
                of: #/(?m)^(?:<!-- ([a-z]+): \S+ -->\n)?```swift\n(?s:(.*?))```/#)
            for block in blocks where block.output.1 != "snippet" {
                let isManifest = block.output.2.contains("import PackageDescription")
                let isProgram = block.output.1 == "program"
                #expect(isManifest || isProgram, "\(article.path): \(block.output.2)")
            }
        }
    }

    @Test func anArticleIsShortAndSaysWhatComesNext() throws {
        let articles = try Article.all().filter { !$0.isLandingPage }
        #expect(articles.count > 20)
        for article in articles {
            #expect(article.wordCount <= 900, "\(article.path): \(article.wordCount) words")
            #expect(article.text.contains("\n## Next\n"), "\(article.path)")
        }
    }

    @Test func namesOfArticlesAreUnique() throws {
        let names = try Article.all().map(\.name)
        #expect(names.count == Set(names).count)
    }

    @Test func everyPublicTypeIsNamedInAnArticle() throws {
        let types = try PublicType.declared()
        // Guards the scan itself.
        #expect(types.count > 300)
        var named: Set<Substring> = []
        for article in try Article.all() {
            named.formUnion(article.text.split { !$0.isLetter && !$0.isNumber && $0 != "_" })
        }
        let missing = types.filter { !named.contains($0.name[...]) }
        #expect(missing.sorted() == [])
    }

    @Test func everyModuleHasALandingPage() throws {
        let pages = Set(try Article.all().filter(\.isLandingPage).map { String($0.name) })
        #expect(Set(PublicType.modules).subtracting(pages).sorted() == [])
    }

    @Test func thePackageIndexDocumentsEveryModule() throws {
        let listed = try Repository.text(".spi.yml").split(separator: "\n")
            .compactMap { $0.wholeMatch(of: /\s+- (Duramen\w*)/).map { String($0.output.1) } }
        #expect(listed == PublicType.modules)
    }

    // MARK: - The rules themselves

    @Test func aSnippetIsShownWithoutItsIndentation() throws {
        var snippets = Snippets()
        try snippets.add(
            """
                    // snippet: a.first
                    if true {
                        print(1)
                    }
                    // end
            """, path: "a.swift")
        let article = Article(
            path: "Sources/A/A.docc/A.md",
            text: "# A\n\n<!-- snippet: a.first -->\n```swift\nold\n```\nText.")
        #expect(
            try article.showing(snippets)
                == "# A\n\n<!-- snippet: a.first -->\n```swift\nif true {\n    print(1)\n}\n```\nText."
        )
        #expect(article.name == "A" && article.wordCount == 1)
    }

    @Test(arguments: ["// snippet: a", "// snippet: a\n// snippet: b\n// end"])
    func aSnippetWithoutEndIsRefused(text: String) {
        var snippets = Snippets()
        #expect(throws: DocumentationError.self) { try snippets.add(text, path: "a.swift") }
    }

    @Test func twoSnippetsOfOneNameAreRefused() {
        var snippets = Snippets()
        let text = "// snippet: a\n// end\n// snippet: a\n// end"
        #expect(throws: DocumentationError.self) { try snippets.add(text, path: "a.swift") }
    }

    @Test func anUnknownSnippetIsRefused() {
        let article = Article(path: "A.md", text: "<!-- snippet: none -->\n```swift\n```")
        #expect(throws: DocumentationError.self) { try article.showing(Snippets()) }
    }

    @Test func outputIsFoundByItsName() throws {
        let article = Article(
            path: "A.md", text: "<!-- output: a -->\n```console\none\ntwo\n```\n")
        #expect(try article.output("a") == "one\ntwo")
        #expect(throws: DocumentationError.self) { try article.output("b") }
    }
}
