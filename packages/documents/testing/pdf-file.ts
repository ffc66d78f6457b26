// A small PDF, written by hand: one text per page, lines apart by \n. A page given as bytes
// is drawn by them, packed already.
import { Buffer } from 'node:buffer'
import { deflateSync } from 'node:zlib'

const escaped = (text: string): string => text.replace(/[\\()]/g, '\\$&')

function pageContent(text: string | Buffer): Buffer {
  if (typeof text !== 'string') return text
  const lines = text.split('\n').map((line) => `(${escaped(line)}) Tj 0 -14 Td`)
  return deflateSync(`BT /F1 12 Tf 72 720 Td ${lines.join('\n')} ET`)
}

/** A page with texts at places of their own, in points from its lower left corner. */
export const drawnPage = (texts: readonly { x: number; y: number; text: string; size?: number }[]): Buffer =>
  deflateSync(
    texts.map(({ x, y, text, size = 10 }) => `BT /F1 ${size} Tf ${x} ${y} Td (${escaped(text)}) Tj ET`).join('\n'),
  )

export function pdfFile(
  pages: readonly (string | Buffer)[],
  extra: { trailer?: string; objects?: (string | Buffer)[]; catalog?: string; resources?: string } = {},
): Buffer {
  const kids = pages.map((_, index) => `${4 + 2 * index} 0 R`).join(' ')
  const objects: (string | Buffer)[] = [
    `<< /Type /Catalog /Pages 2 0 R ${extra.catalog ?? ''} >>`,
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...pages.flatMap((text, index) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${5 + 2 * index} 0 R /Resources << /Font << /F1 3 0 R >> ${extra.resources ?? ''} >> >>`,
      stream(pageContent(text)),
    ]),
    ...(extra.objects ?? []),
  ]
  return assemble(objects, extra.trailer ?? '')
}

function stream(packed: Buffer): Buffer {
  const head = `<< /Length ${packed.length} /Filter /FlateDecode >>\nstream\n`
  return Buffer.concat([Buffer.from(head), packed, Buffer.from('\nendstream')])
}

function assemble(objects: readonly (string | Buffer)[], trailer: string): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n')]
  const places: number[] = []
  let at = parts[0]?.length ?? 0
  for (const [index, object] of objects.entries()) {
    const part = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), Buffer.from(object), Buffer.from('\nendobj\n')])
    places.push(at)
    at += part.length
    parts.push(part)
  }
  const rows = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('')
  const size = objects.length + 1
  parts.push(
    Buffer.from(
      `xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${size} /Root 1 0 R ${trailer} >>\nstartxref\n${at}\n%%EOF\n`,
    ),
  )
  return Buffer.concat(parts)
}
