// What documents of many kinds tell of their structure, and kinds of files that hold others.
import { Buffer } from 'node:buffer'
import { describe, expect, it } from 'vitest'
import { emailFile } from './testing/email-file.ts'
import {
  docxFile,
  epubFile,
  openDocumentFile,
  pptxFile,
  relations,
  wordParagraph,
  xlsxFile,
} from './testing/office-files.ts'
import { chunksOf, testDocuments, textOf } from './testing/reading.ts'
import { fileOf } from './testing/source.ts'

const documents = testDocuments()
const filling = (about: string): string => Array.from({ length: 120 }, () => about).join(' ')

/** The heading of the last small chunk with these words. */
async function headingOf(filename: string, content: Buffer, words: string): Promise<string | undefined> {
  const sizes = { maxTokens: 64, overlapTokens: 0 }
  const chunks = await chunksOf(documents, fileOf(filename, content), { sizes })
  return chunks.findLast(({ text }) => text.includes(words))?.heading
}

const core = (title: string): string => `<cp:coreProperties><dc:title>${title}</dc:title></cp:coreProperties>`

describe('the heading of a chunk', () => {
  it('is found by the styles of a Word document, whatever they are called', async () => {
    const styles = `<w:styles><w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>
      <w:style w:styleId="Mein"><w:name w:val="Mein"/><w:basedOn w:val="berschrift2"/></w:style>
      <w:style w:styleId="berschrift2"><w:name w:val="Abschnitt"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style></w:styles>`
    const file = (title: string): Buffer =>
      docxFile(
        [
          wordParagraph('Urlaub', '<w:pStyle w:val="berschrift1"/>'),
          wordParagraph(filling('Ferien')),
          wordParagraph('Elternzeit', '<w:pStyle w:val="Mein"/>'),
          wordParagraph(filling('Kinder')),
        ].join(''),
        {
          'word/_rels/document.xml.rels': relations(['rId1', 'styles', 'styles.xml']),
          'word/styles.xml': styles,
          'docProps/core.xml': core(title),
        },
      )
    expect(await headingOf('x.docx', file('Handbuch'), 'Ferien')).toBe('Handbuch › Urlaub')
    expect(await headingOf('x.docx', file('Handbuch'), 'Kinder')).toBe('Handbuch › Urlaub › Elternzeit')
    // A program's own words are no title.
    expect(await headingOf('hand_buch.docx', file('Microsoft Word - x.doc'), 'Kinder')).toBe('Urlaub › Elternzeit')
  })

  it('names the columns of a long table in a Word document', async () => {
    const cell = (content: string): string => `<w:tc>${wordParagraph(content)}</w:tc>`
    const row = (name: string): string => `<w:tr>${cell(name)}${cell('20 m')}</w:tr>`
    const rows = Array.from({ length: 60 }, (_, index) => row(`ship ${index}`)).join('')
    const head = `<w:tr><w:trPr><w:tblHeader/></w:trPr>${cell('name')}${cell('length')}</w:tr>`
    expect(await headingOf('fleet.docx', docxFile(`<w:tbl>${head}${rows}</w:tbl>`), 'ship 55')).toBe(
      'fleet › name | length',
    )
  })

  it('is a slide, a sheet, a chapter, or a heading of an OpenDocument text', async () => {
    const slides = pptxFile([{ text: filling('sails') }, { title: 'Cranes', text: filling('hooks') }])
    expect(await headingOf('deck.pptx', slides, 'sails')).toBe('deck › Slide 1')
    expect(await headingOf('deck.pptx', slides, 'hooks')).toBe('deck › Cranes')
    const rows = Array.from({ length: 60 }, (_, index) => [`ship ${index}`, index])
    expect(await headingOf('all.xlsx', xlsxFile('Fleet', [['name', 'length'], ...rows]), 'ship 55')).toBe(
      'all › Fleet › name | length',
    )
    const book = epubFile('The sea', ['<h1>Shore</h1><p>Sand.</p>', `<h1>Deep</h1><p>${filling('fish')}</p>`])
    expect(await headingOf('b.epub', book, 'fish')).toBe('The sea › Deep')
    const text = `<office:text><text:h text:outline-level="1">Top</text:h><text:h text:outline-level="2">Below</text:h><text:p>${filling('mud')}</text:p></office:text>`
    expect(await headingOf('a.odt', openDocumentFile(text, { 'meta.xml': core('Report') }), 'mud')).toBe(
      'Report › Top › Below',
    )
    const cell = (content: string): string => `<table:table-cell><text:p>${content}</text:p></table:table-cell>`
    const sheet = `<office:spreadsheet><table:table table:name="Fleet">${[['name', 'length'], ...rows]
      .map(([a, b]) => `<table:table-row>${cell(String(a))}${cell(String(b))}</table:table-row>`)
      .join('')}</table:table></office:spreadsheet>`
    expect(await headingOf('a.ods', openDocumentFile(sheet), 'ship 55')).toBe('a › Fleet › name | length')
  })
})

describe('the text', () => {
  it('of an EPUB book has its chapters in their order', async () => {
    const book = epubFile('The sea', ['<h1>Shore</h1><p>Sand &amp; stones.</p>', '<p>Fish.</p>'])
    expect(await textOf(documents, 'sea.epub', book)).toBe('Shore\n\nSand & stones.\n\fFish.')
  })

  it('of an e-mail has its headers, its message in one form, messages inside it, and names what is attached', async () => {
    const [chunk] = await chunksOf(documents, fileOf('mail.eml', emailFile))
    expect(chunk?.heading).toBe('Crane № 7')
    expect(chunk?.text).toBe(
      [
        'Subject: Crane № 7\nFrom: Anna <anna@example.com>\nTo: Crew <crew@example.com>, Captain <captain@example.com>\nDate: Mon, 6 May 2024 10:00:00 +0000',
        'The crane lifts 40 t. ☂',
        'Subject: Grüße aus dem Hafen\nFrom: Berta <berta@example.com>',
        'Die Schiffe sind schön, und die Zeile ist lang.',
        'Attachment: Kran №.pdf (application/pdf)',
      ].join('\n\n'),
    )
  })

  it('of an e-mail that is only HTML, in an encoding of its own, is what a reader sees', async () => {
    const mail = Buffer.from(
      'Subject: x\r\nContent-Type: text/html; charset=koi8-r\r\n\r\n<h1>\xf0\xd2\xc9\xd7\xc5\xd4</h1><p>1</p>',
      'latin1',
    )
    expect(await textOf(documents, 'm.eml', mail)).toBe('Subject: x\n\nПривет\n\n1')
    expect(await textOf(documents, 'note.eml', 'Just words, no mail at all.')).toBe('Just words, no mail at all.')
  })
})
