import { Buffer } from 'node:buffer'
import { describe, expect, it } from 'vitest'
import {
  docxFile,
  openDocumentFile,
  pptxFile,
  relations,
  wordParagraph,
  xlsxFile,
  zipFile,
} from './testing/office-files.ts'
import { pdfFile } from './testing/pdf-file.ts'
import { chunksOf, testDocuments, textOf } from './testing/reading.ts'
import { fileOf } from './testing/source.ts'

const documents = testDocuments()
const text = (filename: string, content: string | Uint8Array): Promise<string> => textOf(documents, filename, content)
const utf16be = (content: string): Buffer => Buffer.from(content, 'utf16le').swap16()

describe('AST-115 the text of a file', () => {
  it.each([
    ['notes.txt', 'Plain words.\nAnd more.'],
    ['readme.md', '# Title\n\nSome *Markdown*.'],
    ['data.json', '{"harbour": {"ships": 3}}'],
    ['table.csv', 'name,ships\nHamburg,12\n'],
    ['main.py', 'def main():\n    print("ahoy")\n'],
    ['paper.tex', '\\section{Ships}\nText.'],
    ['page.php', '<?php echo "<p>ahoy</p>"; ?>'],
    ['no-extension', 'Words in a file without an ending.'],
    ['unicode.txt', 'Ünïcödé, 漢字, 👩‍👩‍👧‍👦 and <|endoftext|>.'],
  ])('%s is its content', async (filename, content) => {
    expect(await text(filename, content)).toBe(content)
  })

  it('is the same in UTF-8 with a mark and in UTF-16, and has \\n for every line end', async () => {
    const content = 'First line\r\nzweite Zeile: Grüße\rthird'
    const expected = 'First line\nzweite Zeile: Grüße\nthird'
    expect(await text('a.txt', `\ufeff${content}`)).toBe(expected)
    expect(await text('a.txt', Buffer.from(`\ufeff${content}`, 'utf16le'))).toBe(expected)
    expect(await text('a.txt', utf16be(`\ufeff${content}`))).toBe(expected)
    expect(await text('a.txt', Buffer.from(content, 'utf16le'))).toBe(expected)
    expect(await text('a.txt', utf16be(content))).toBe(expected)
  })

  it('of a web page is what a reader sees', async () => {
    const page = `<!doctype html><html><head><title>Ports &amp; ships</title><style>p{color:red}</style>
      <script>if (1 < 2) alert("never")</script></head><body><h1>The   harbour</h1>
      <p>It has <b>three</b>&nbsp;ships.<br>And a crane.</p><ul><li>Anna</li><li>Berta</li></ul>
      <table><tr><th>Name</th><th>Length</th></tr><tr><td>Anna</td><td>20 m</td></tr></table>
      <pre>a\n  b</pre><img src="x.png" alt="A red ship"></body></html>`
    const expected = [
      'Ports & ships\n\nThe harbour\n\nIt has three\u00a0ships.\nAnd a crane.\n\n- Anna\n- Berta\n\n',
      'Name | Length\nAnna | 20 m\n\na\n  b\n\nA red ship',
    ].join('')
    expect(await text('page.html', page)).toBe(expected)
    expect(await text('page', page)).toBe(expected)
  })

  it('of a web page in an older encoding is read as the page says', async () => {
    const page = Buffer.from('<meta charset="iso-8859-1"><p>Grüße</p>', 'latin1')
    expect(await text('old.html', page)).toBe('Grüße')
  })

  it('of a PDF comes page by page', async () => {
    const pages = await text('a.pdf', pdfFile(['The first page (one).\nSecond line.', 'The second page.']))
    expect(pages).toBe('The first page (one).\nSecond line.\n\fThe second page.')
  })

  it('of a Word document has its paragraphs, lists, tables and notes', async () => {
    const list = (level: number): string => `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="1"/></w:numPr>`
    const cell = (content: string): string => `<w:tc>${wordParagraph(content)}</w:tc>`
    const file = docxFile(
      [
        wordParagraph('Heading &amp; more', '<w:pStyle w:val="Heading1"/><w:tabs><w:tab w:val="left"/></w:tabs>'),
        '<w:p><w:r><w:t>Two </w:t></w:r><w:r><w:t xml:space="preserve"> runs</w:t><w:tab/><w:t>and a tab</w:t></w:r></w:p>',
        wordParagraph('first', list(0)),
        wordParagraph('nested', list(1)),
        '<w:p><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:ins><w:r><w:t>new</w:t></w:r></w:ins></w:p>',
        `<w:tbl><w:tr>${cell('a')}${cell('b')}</w:tr><w:tr>${cell('c')}${cell('d')}</w:tr></w:tbl>`,
        '<mc:AlternateContent><mc:Choice><w:p><w:r><w:t>box</w:t></w:r></w:p></mc:Choice><mc:Fallback><w:p><w:r><w:t>box</w:t></w:r></w:p></mc:Fallback></mc:AlternateContent>',
      ].join(''),
      {
        'word/_rels/document.xml.rels': relations(['rId1', 'footnotes', 'footnotes.xml']),
        'word/footnotes.xml': `<w:footnotes><w:footnote>${wordParagraph('A note.')}</w:footnote></w:footnotes>`,
      },
    )
    expect(await text('a.docx', file)).toBe(
      'Heading & more\nTwo  runs\tand a tab\n- first\n  - nested\nnew\n\na | b\nc | d\n\nbox\n\nA note.',
    )
  })

  it('of a presentation has its slides in order, with notes', async () => {
    const file = pptxFile([{ text: 'Welcome\naboard', notes: 'Speak slowly.' }, { text: 'Ships' }, { text: 'The end' }])
    expect(await text('a.pptx', file)).toBe('Welcome\naboard\n\nNotes: Speak slowly.\n\fShips\n\fThe end')
  })

  it('of a workbook has its rows', async () => {
    const file = xlsxFile('Fleet', [
      ['ship', 'length'],
      ['Anna', 20.5],
    ])
    expect(await text('a.xlsx', file)).toBe('Fleet\nship\tlength\nAnna\t20.5')
  })

  it('of an OpenDocument file has its paragraphs, lists and tables', async () => {
    const cell = (content: string): string => `<table:table-cell><text:p>${content}</text:p></table:table-cell>`
    const file = openDocumentFile(
      `<office:text><text:h>Head</text:h><text:p>a<text:s text:c="3"/>b<text:tab/>c</text:p><text:list><text:list-item><text:p>item</text:p></text:list-item></text:list><table:table><table:table-row>${cell('x')}${cell('y')}</table:table-row></table:table></office:text>`,
    )
    expect(await text('a.odt', file)).toBe('Head\na   b\tc\n- item\n\nx | y')
  })

  it('is told by content where the name is wrong', async () => {
    expect(await text('really-a-pdf.txt', pdfFile(['Inside.']))).toBe('Inside.')
    expect(await text('really-a-document.bin', docxFile(wordParagraph('Inside.')))).toBe('Inside.')
  })
})

describe('AST-115 a file that cannot be read', () => {
  const refused = async (filename: string, content: string | Uint8Array): Promise<{ code: string; message: string }> =>
    text(filename, content).then(
      () => expect.fail('was read'),
      (problem) => problem,
    )

  it.each([
    ['photo.png', Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1')],
    ['song', Buffer.from('ID3\x04\0\0')],
    ['junk.bin', Buffer.from(Array.from({ length: 5_000 }, (_, index) => (index * 7919 + (index >> 3)) % 256))],
    ['old.doc', Buffer.from('d0cf11e0a1b11ae1', 'hex')],
    ['letter.rtf', '{\\rtf1 Dear Sir}'],
    ['files.zip', zipFile({ 'a.txt': 'text' })],
  ])('%s is unsupported', async (filename, content) => {
    expect(await refused(filename, content)).toMatchObject({ code: 'unsupported_file' })
  })

  it('says what a document of another kind can be saved as', async () => {
    const { message } = await refused('letter.rtf', '{\\rtf1 Dear Sir}')
    expect(message).toBe('The file is a Rich Text document, which cannot be searched. Save it as .docx.')
  })

  it.each([
    ['empty.txt', '', 'empty'],
    ['blank.txt', ' \n\n\t ', 'holds no text'],
    ['blank.docx', docxFile(wordParagraph(' ')), 'holds no text'],
    ['scanned.pdf', pdfFile(['', '']), 'text recognition'],
    ['not-a.pdf', 'These are words.', 'it is no PDF'],
    ['broken.pdf', '%PDF-1.7\nnothing of the sort', 'damaged'],
    ['not-a.docx', 'These are words.', 'no Word document'],
    ['cut.docx', docxFile(wordParagraph('word '.repeat(5_000))).subarray(0, -30), 'damaged'],
    ['latin1.txt', Buffer.from('Grüße aus Köln', 'latin1'), 'UTF-8'],
    ['late.txt', Buffer.concat([Buffer.from('words '.repeat(60_000)), Buffer.from([0xff])]), 'UTF-8'],
  ])('%s is invalid', async (filename, content, words) => {
    const problem = await refused(filename, content)
    expect(problem).toMatchObject({ code: 'invalid_file' })
    expect(problem.message).toContain(words)
  })

  it('speaks of text recognition to owners of PDFs alone', async () => {
    for (const [filename, content] of [
      ['blank.txt', ' \n\n\t '],
      ['blank.html', '<p> </p>'],
      ['blank.docx', docxFile(wordParagraph(' '))],
    ] as const) {
      expect((await refused(filename, content)).message).not.toMatch(/OCR|scanned/)
    }
    expect((await refused('blank.pdf', pdfFile(['']))).message).toContain('OCR')
  })

  it('says that a password is in the way', async () => {
    const key = '00'.repeat(32)
    const trailer = `/ID [<00><00>] /Encrypt << /Filter /Standard /V 1 /R 2 /O <${key}> /U <${key}> /P -44 >>`
    expect((await refused('locked.pdf', pdfFile(['Secret.'], { trailer }))).message).toContain('password')
    const file = docxFile(wordParagraph('Secret.'))
    // The first bit of the flags of every entry in the directory.
    for (let at = file.indexOf('PK\x01\x02'); at >= 0; at = file.indexOf('PK\x01\x02', at + 1)) file[at + 8]! |= 1
    expect((await refused('locked.docx', file)).message).toContain('password')
  })
})

describe('AST-117 chunks of a file', () => {
  const long = fileOf('long.txt', 'All work and no play makes a dull file.\n'.repeat(4_000))

  it('are the same each time, and can be taken up anywhere', async () => {
    const all = await chunksOf(documents, long)
    expect(all.map(({ ordinal }) => ordinal)).toEqual(all.map((_, index) => index))
    expect(all.length).toBeGreaterThan(50)
    expect(await chunksOf(documents, long)).toEqual(all)
    expect(await chunksOf(documents, long, { from: 40 })).toEqual(all.slice(40))
    expect(await chunksOf(documents, long, { from: 1_000 })).toEqual([])
  })

  it('have the size asked for', async () => {
    const chunks = await chunksOf(documents, long, { sizes: { maxTokens: 100, overlapTokens: 0 } })
    const whole = chunks.map(({ text }) => text).join('')
    expect(whole === 'All work and no play makes a dull file.\n'.repeat(4_000)).toBe(true)
    expect(Math.max(...chunks.map(({ tokens }) => tokens))).toBeLessThanOrEqual(100)
  })
})
