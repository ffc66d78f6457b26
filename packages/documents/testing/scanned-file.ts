// PDFs of pictures.
import { Buffer } from 'node:buffer'
import { deflateSync } from 'node:zlib'
import { pdfFile } from './pdf-file.ts'

export interface Picture {
  width: number
  height: number
  /** A byte for each point. */
  gray: Uint8Array
}

const blank: Picture = { width: 8, height: 8, gray: Buffer.alloc(64, 255) }

/** One picture on each page and nothing else. A reader of PDFs passes over `note`, which has a line of its own. */
export function scannedFile(pages: readonly Picture[] = [blank], note = ''): Buffer {
  const firstPicture = 4 + 2 * pages.length
  const resources = pages.map((_, index) => `/P${index} ${firstPicture + index} 0 R`).join(' ')
  const drawn = pages.map((_, index) => deflateSync(`q 612 0 0 792 0 0 cm /P${index} Do Q`))
  const file = pdfFile(drawn, { objects: pages.map(pictureObject), resources: `/XObject << ${resources} >>` })
  return note === '' ? file : Buffer.concat([file, Buffer.from(`%% ${note}\n`)])
}

function pictureObject({ width, height, gray }: Picture): Buffer {
  const packed = deflateSync(gray)
  const head = `<< /Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode /Length ${packed.length} >>\nstream\n`
  return Buffer.concat([Buffer.from(head), packed, Buffer.from('\nendstream')])
}
