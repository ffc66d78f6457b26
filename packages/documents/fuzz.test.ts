// Small files of every kind, changed at random: each is read or refused in words for its owner, within the limits, and
// the next file is read as if nothing had been.
import { Buffer } from 'node:buffer'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { DocumentProblem } from './documents.ts'
import { emailFile } from './testing/email-file.ts'
import { changed, changedInside, changes } from './testing/mutations.ts'
import {
  docxFile,
  epubFile,
  openDocumentFile,
  pptxFile,
  relations,
  wordParagraph,
  xlsxFile,
} from './testing/office-files.ts'
import { pdfFile } from './testing/pdf-file.ts'
import { chunksOf, testDocuments, textOf } from './testing/reading.ts'
import { fileOf } from './testing/source.ts'

const isLong = process.env.ATOLL_TEST_LONG === '1'
const cases = isLong ? 20_000 : 250
const silenceMs = 30_000
/** Of the process, beyond which it is ended. */
const memoryMegabytes = 1_500

const page =
  '<!doctype html><html><head><title>Ships</title><style>p{}</style></head><body><h1>Harbour</h1><p>Seven &amp; one<br>ships</p><ul><li>Crane</li></ul><table><tr><td>1</td><td>2</td></tr></table><pre> a\n b</pre><img alt="a ship"><script>x()</script></body></html>'
const table = '<w:tbl><w:tr><w:tc><w:p><w:r><w:t>cell</w:t></w:r></w:p></w:tc></w:tr></w:tbl>'
const list = '<w:numPr><w:ilvl w:val="1"/><w:numId w:val="2"/></w:numPr>'
const sheet =
  '<office:spreadsheet><table:table table:name="One"><table:table-row><table:table-cell table:number-columns-repeated="3"><text:p>7</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet>'

const archives: readonly [name: string, file: Buffer][] = [
  [
    'a.docx',
    docxFile(`${wordParagraph('Seven ships.')}${wordParagraph('A crane.', list)}${table}`, {
      'word/_rels/document.xml.rels': relations(['rId1', 'footnotes', 'footnotes.xml']),
      'word/footnotes.xml': `<w:footnotes>${wordParagraph('A note.')}</w:footnotes>`,
    }),
  ],
  ['a.pptx', pptxFile([{ text: 'First\nslide', notes: 'Say it slowly.' }, { text: 'Second' }])],
  [
    'a.xlsx',
    xlsxFile('Ships', [
      ['name', 'length'],
      ['Anna', 12.5],
      ['Berta', 30],
    ]),
  ],
  [
    'a.odt',
    openDocumentFile('<office:text><text:p>Seven<text:s text:c="3"/>ships<text:tab/>here.</text:p></office:text>'),
  ],
  ['a.ods', openDocumentFile(sheet)],
  ['a.epub', epubFile('Ships', [page, '<h2>Cranes</h2><ul><li>One</li></ul>'])],
]
const plain: readonly [name: string, file: Buffer][] = [
  ['a.pdf', pdfFile(['Seven ships.\nA crane.', 'And another page.'])],
  ['a.html', Buffer.from(page)],
  ['a.eml', emailFile],
  ['a.txt', Buffer.from('Seven ships, and a crane that never rests.\r\n\r\nÄ \u{1f6a2}\n')],
  ['b.txt', Buffer.from('\ufeffSeven ships', 'utf16le')],
  ['a.json', Buffer.from('{"ships": [{"name": "Anna", "length": 12.5}]}')],
  ['a.csv', Buffer.from('name;length\n"Anna";12,5\n')],
  [
    'a.md',
    Buffer.from('# Harbour\n\n- seven ships\n\n```js\nx()\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nEnd\n---\n'),
  ],
]

const outside = fc
  .record({ sample: fc.constantFrom(...plain, ...archives), list: changes })
  .map(({ sample: [name, file], list }) => ({ name, bytes: changed(file, list) }))
const inside = fc
  .record({ sample: fc.constantFrom(...archives), entry: fc.nat(20), list: changes })
  .map(({ sample: [name, file], entry, list }) => ({ name, bytes: changedInside(file, entry, list) }))

it.each([
  ['bytes', outside],
  ['parts inside an archive', inside],
])(
  'a file with other %s is read, or refused with a word to its owner',
  async (_, files) => {
    const documents = testDocuments({ processes: 1, silenceMs, memoryMegabytes })
    const seen = { read: 0, refused: 0 }
    const property = fc.asyncProperty(files, async ({ name, bytes }) => {
      try {
        const chunks = await chunksOf(documents, fileOf(name, bytes))
        expect(chunks.map(({ ordinal }) => ordinal)).toEqual(chunks.keys().toArray())
        for (const { heading, text, tokens } of chunks) {
          expect(heading.isWellFormed() && !heading.includes('\0') && heading.length < 1_500).toBe(true)
          expect(text.isWellFormed() && !text.includes('\0') && text.length > 0).toBe(true)
          expect(tokens).toBeGreaterThan(0)
        }
        seen.read++
      } catch (problem) {
        if (!(problem instanceof DocumentProblem)) throw problem
        expect(['invalid_file', 'unsupported_file'], problem.message).toContain(problem.code)
        expect(problem.message).toMatch(/^[A-Z].{20,400}\.$/)
        seen.refused++
      }
    })
    await fc.assert(property, { numRuns: cases, ...(isLong ? {} : { seed: 1 }), interruptAfterTimeLimit: 3_000_000 })
    // Neither is all that ever happens.
    expect(seen.read).toBeGreaterThan(cases / 20)
    expect(seen.refused).toBeGreaterThan(cases / 20)
    expect(await textOf(documents, 'next.txt', 'The next file.')).toBe('The next file.')
  },
  isLong ? 3_600_000 : 900_000,
)
