// Small office files, packed as the programs do.
import { Buffer } from 'node:buffer'
import { strToU8, zipSync } from 'fflate'

const relationships = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

export function zipFile(files: Record<string, string>): Buffer {
  return Buffer.from(zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)]))))
}

export function relations(...list: readonly [id: string, type: string, target: string][]): string {
  const rows = list.map(
    ([id, type, target]) => `<Relationship Id="${id}" Type="${relationships}/${type}" Target="${target}"/>`,
  )
  return `<?xml version="1.0"?><Relationships>${rows.join('')}</Relationships>`
}

/** `body` is what stands inside w:body. */
export const docxFile = (body: string, more: Record<string, string> = {}): Buffer =>
  zipFile({
    '[Content_Types].xml': '<Types/>',
    '_rels/.rels': relations(['rId1', 'officeDocument', 'word/document.xml']),
    'word/document.xml': `<?xml version="1.0"?><w:document xmlns:w="w"><w:body>${body}</w:body></w:document>`,
    ...more,
  })

export const wordParagraph = (text: string, properties = ''): string =>
  `<w:p><w:pPr>${properties}</w:pPr><w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`

const slideShape = (text: string, kind = 'body'): string =>
  `<p:sp><p:nvSpPr><p:nvPr><p:ph type="${kind}"/></p:nvPr></p:nvSpPr><p:txBody>${text
    .split('\n')
    .map((line) => `<a:p><a:r><a:t>${line}</a:t></a:r></a:p>`)
    .join('')}</p:txBody></p:sp>`

/** Slides in the order of the list; the parts are numbered the other way round, as after moving slides about. */
export function pptxFile(slides: readonly { text: string; title?: string; notes?: string }[]): Buffer {
  const number = (index: number): number => slides.length - index
  const files: Record<string, string> = {
    '_rels/.rels': relations(['rId1', 'officeDocument', 'ppt/presentation.xml']),
    'ppt/presentation.xml': `<p:presentation><p:sldIdLst>${slides.map((_, index) => `<p:sldId id="${256 + index}" r:id="rId${index}"/>`).join('')}</p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': relations(
      ...slides.map((_, index): [string, string, string] => [
        `rId${index}`,
        'slide',
        `slides/slide${number(index)}.xml`,
      ]),
    ),
  }
  for (const [index, { text, title, notes }] of slides.entries()) {
    const name = `slide${number(index)}.xml`
    files[`ppt/slides/${name}`] =
      `<p:sld><p:spTree>${title === undefined ? '' : slideShape(title, 'title')}${slideShape(text)}</p:spTree></p:sld>`
    if (notes === undefined) continue
    files[`ppt/slides/_rels/${name}.rels`] = relations([
      'rId1',
      'notesSlide',
      `../notesSlides/notes${number(index)}.xml`,
    ])
    files[`ppt/notesSlides/notes${number(index)}.xml`] =
      `<p:notes>${slideShape(notes)}${slideShape('7', 'sldNum')}</p:notes>`
  }
  return zipFile(files)
}

/** One sheet; cells that are text are kept apart, as Excel does. */
export function xlsxFile(name: string, rows: readonly (readonly (string | number)[])[]): Buffer {
  const strings: string[] = []
  const cell = (value: string | number): string =>
    typeof value === 'number' ? `<c><v>${value}</v></c>` : `<c t="s"><v>${strings.push(value) - 1}</v></c>`
  const sheet = rows.map((row) => `<row>${row.map(cell).join('')}</row>`).join('')
  return zipFile({
    '_rels/.rels': relations(['rId1', 'officeDocument', 'xl/workbook.xml']),
    'xl/workbook.xml': `<workbook><sheets><sheet name="${name}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations(
      ['rId1', 'worksheet', 'worksheets/sheet1.xml'],
      ['rId2', 'sharedStrings', '/xl/sharedStrings.xml'],
    ),
    'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${sheet}</sheetData></worksheet>`,
    'xl/sharedStrings.xml': `<sst>${strings.map((text) => `<si><t>${text}</t></si>`).join('')}</sst>`,
  })
}

export const openDocumentFile = (body: string, more: Record<string, string> = {}): Buffer =>
  zipFile({
    ...more,
    mimetype: 'application/vnd.oasis.opendocument.text',
    'content.xml': `<?xml version="1.0"?><office:document-content><office:body>${body}</office:body></office:document-content>`,
  })

/** Chapters are what stands inside body; the book shows them so many times. */
export function epubFile(title: string, chapters: readonly string[], times = 1): Buffer {
  const items = chapters.map((_, index) => `<item id="c${index}" href="text/chapter%20${index}.xhtml"/>`)
  const order = chapters.map((_, index) => `<itemref idref="c${index}"/>`)
  const files: Record<string, string> = {
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': '<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>',
    'OEBPS/book.opf': `<package><metadata><dc:title>${title}</dc:title></metadata><manifest>${items.join('')}</manifest><spine>${order.join('').repeat(times)}</spine></package>`,
  }
  for (const [index, body] of chapters.entries())
    files[`OEBPS/text/chapter ${index}.xhtml`] = `<html><head><title>c</title></head><body>${body}</body></html>`
  return zipFile(files)
}
