import { expect, it } from 'vitest'
import { readTar, type TarEntry } from './read-tar.ts'

const blockBytes = 512
const long = 'a'.repeat(150)
const strange = '<img src=x onerror=alert(1)> é.txt'
const encoder = new TextEncoder()

/** A head, and what follows it in whole blocks. */
function entry(name: string, type: string, content = ''): Uint8Array {
  const bytes = encoder.encode(content)
  const block = new Uint8Array(blockBytes + Math.ceil(bytes.length / blockBytes) * blockBytes)
  block.set(encoder.encode(name).subarray(0, 100))
  block.set(encoder.encode(`${bytes.length.toString(8).padStart(11, '0')}\0`), 124)
  block.set(encoder.encode(`${type}\0`), 156)
  block.set(encoder.encode('ustar'), 257)
  block.set(bytes, blockBytes)
  return block
}

/** Names of more than 100 letters, as either kind of archive writes them. */
const longNames: Record<string, (name: string) => Uint8Array> = {
  gnu: (name) => entry('././@LongLink', 'L', `${name}\0`),
  pax: (name) => entry('PaxHeaders/x', 'x', `${name.length + 10} path=${name}\n`),
}

function archive(kind: string): Uint8Array {
  const parts = [
    entry('etc/', '5'),
    entry('etc/passwd', '0', 'root\n'),
    longNames[kind]?.(`etc/${long}`) ?? new Uint8Array(),
    entry(`etc/${long}`, '0', 'x'.repeat(1_000)),
    entry(`etc/${strange}`, '0'),
    entry('etc/deep/', '5'),
    entry('etc/deep/below', '0', 'y'.repeat(5_000)),
    entry('etc/link', '2'),
    new Uint8Array(2 * blockBytes),
  ]
  return Uint8Array.from(parts.flatMap((part) => [...part]))
}

/** In pieces of any size, as a network cuts them. */
const streamOf = (bytes: Uint8Array, size: number): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size))
      controller.close()
    },
  })

it.each(['gnu', 'pax'])(
  'names what lies in a folder, from an archive as %s writes it, however it is cut',
  async (kind) => {
    for (const size of [100, blockBytes, 4_096, 1_000_000]) {
      const { entries, isCut } = await readTar(streamOf(archive(kind), size), (path) => /^[^/]+\/?$/.test(path))
      const byName = new Map(entries.map((one): [string, TarEntry] => [one.path, one]))
      expect([...byName.keys()].sort()).toEqual(['deep/', 'link', 'passwd', long, strange].sort())
      expect(byName.get('passwd')).toMatchObject({ kind: 'file', bytes: 5 })
      expect(byName.get(long)).toMatchObject({ kind: 'file', bytes: 1_000 })
      expect(byName.get('deep/')?.kind).toBe('folder')
      expect(byName.get('link')?.kind).toBe('link')
      expect(isCut).toBe(false)
    }
  },
)

it('ends with what it has where the archive is cut off', async () => {
  const { entries } = await readTar(streamOf(archive('gnu').slice(0, 2_000), blockBytes), () => true)
  expect(entries.map(({ path }) => path)).toEqual(['passwd'])
})
