/// The start positions of sections, in blocks of 256, so that a change of one section updates few
/// others in a long list.
struct SectionStarts: Sendable {
    private static let blockShift = 8
    private static let blockMask = 255

    /// By block, the starts of its sections within it, and the end of the last one.
    private var blocks: ContiguousArray<ContiguousArray<Int>> = []
    /// The starts of the blocks, and the end of the last one.
    private var blockStarts: ContiguousArray<Int> = [0]
    private(set) var count = 0

    /// The number of rows of all sections.
    var rowCount: Int { blockStarts[blocks.count] }

    func rows(of section: Int) -> Range<Int> {
        let start = blockStarts[section >> Self.blockShift]
        let block = blocks[section >> Self.blockShift]
        let index = section & Self.blockMask
        return start + block[index]..<start + block[index + 1]
    }

    /// Returns the section of a row; the last one for the end.
    func section(of position: Int) -> Int {
        // The last block, and then the last section, that starts at or before the position.
        let block = max(0, blockStarts.dropLast().partitionPoint { $0 <= position } - 1)
        if block == blocks.count { return 0 }
        let offset = position - blockStarts[block]
        let index = max(0, blocks[block].dropLast().partitionPoint { $0 <= offset } - 1)
        return block << Self.blockShift + index
    }

    /// Adds a section at the end.
    mutating func append(_ rowCount: Int) {
        if count & Self.blockMask == 0 {
            blocks.append([0])
            blockStarts.append(blockStarts[blocks.count - 1])
        }
        count += 1
        let block = blocks.count - 1
        blocks[block].append(blocks[block][blocks[block].count - 1] + rowCount)
        blockStarts[blocks.count] += rowCount
    }

    /// Adds rows to the last section.
    mutating func extendLast(by rowCount: Int) {
        let last = blocks[blocks.count - 1].count - 1
        blocks[blocks.count - 1][last] += rowCount
        blockStarts[blocks.count] += rowCount
    }

    /// Returns the starts after sections grow or shrink; nil if a section would be empty.
    ///
    /// - Parameter changes: The change in size by section.
    func adding(_ changes: [Int: Int]) -> SectionStarts? {
        var next = self
        var sections = changes.keys.sorted()[...]
        while let first = sections.first {
            let number = first >> Self.blockShift
            let own = sections.prefix { $0 >> Self.blockShift == number }
            sections = sections.dropFirst(own.count)
            var shift = 0
            var block = blocks[number]
            for index in 0..<block.count - 1 {
                shift += changes[number << Self.blockShift + index] ?? 0
                block[index + 1] += shift
                if block[index + 1] == block[index] { return nil }
            }
            next.blocks[number] = block
        }
        next.blockStarts.removeAll(keepingCapacity: true)
        var start = 0
        next.blockStarts.append(0)
        for block in next.blocks {
            start += block[block.count - 1]
            next.blockStarts.append(start)
        }
        return next
    }
}
