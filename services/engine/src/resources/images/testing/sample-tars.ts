// Tars for tests, written by hand so that anything can be in them.
import { digestOf } from '../../../images/digest.ts'
import type { ImageConfig } from '../../../images/images.ts'
import { hostPlatform } from '../../../images/platform.ts'

export interface SampleEntry {
  name: string
  /** Content of a file. */
  data?: Uint8Array | string
  /** `0` file, `1` hard link, `2` symbolic link, `3` character device, `5` folder, `6` pipe, `x` further attributes. */
  type?: string
  link?: string
  mode?: number
  uid?: number
  gid?: number
  mtime?: number
  device?: [major: number, minor: number]
}

export function tarOf(entries: readonly SampleEntry[]): Buffer {
  return Buffer.concat([...entries.flatMap(entryBlocks), Buffer.alloc(1024)])
}

/** Attributes for the entry after it. */
export function paxOf(attributes: Record<string, string>): SampleEntry {
  const records = Object.entries(attributes).map(([key, value]) => {
    const rest = ` ${key}=${value}\n`
    let length = rest.length
    while (String(length).length + rest.length !== length) length = String(length).length + rest.length
    return `${length}${rest}`
  })
  return { name: 'attributes', type: 'x', data: records.join('') }
}

function entryBlocks(entry: SampleEntry): Buffer[] {
  const { name, link = '', type = '0', mode = type === '5' ? 0o755 : 0o644 } = entry
  const data = Buffer.from(entry.data ?? '')
  const head = Buffer.alloc(512)
  const octal = (value: number, at: number, length: number) =>
    head.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at)
  head.write(name, 0, 100)
  octal(mode, 100, 8)
  octal(entry.uid ?? 0, 108, 8)
  octal(entry.gid ?? 0, 116, 8)
  octal(data.length, 124, 12)
  octal(entry.mtime ?? 1_700_000_000, 136, 12)
  head.write('        ', 148)
  head.write(type, 156)
  head.write(link, 157, 100)
  head.write('ustar\x0000', 257)
  octal(entry.device?.[0] ?? 0, 329, 8)
  octal(entry.device?.[1] ?? 0, 337, 8)
  const sum = head.reduce((total, byte) => total + byte, 0)
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  const padding = Buffer.alloc((512 - (data.length % 512)) % 512)
  return [head, data, padding]
}

export interface SampleArchive {
  id: string
  tar: Buffer
  files: SampleEntry[]
}

/** An image as `docker save` writes it. */
export function dockerArchive(
  layers: readonly Buffer[],
  { names = [], config = {} }: { names?: string[]; config?: Partial<ImageConfig> } = {},
): SampleArchive {
  const { diffIds, ...rest } = { diffIds: layers.map(digestOf), ...config } as { diffIds: string[] }
  const document = {
    ...hostPlatform,
    created: '2024-01-02T03:04:05.678901234Z',
    config: { Cmd: ['sh'] },
    ...rest,
    rootfs: { type: 'layers', diff_ids: diffIds },
  }
  const bytes = Buffer.from(JSON.stringify(document))
  const id = digestOf(bytes)
  const configName = `${id.slice(7)}.json`
  const files: SampleEntry[] = [
    ...layers.map((data, at) => ({ name: `layer-${at}/layer.tar`, data })),
    { name: configName, data: bytes },
    {
      name: 'manifest.json',
      data: JSON.stringify([
        { Config: configName, RepoTags: names, Layers: layers.map((_, at) => `layer-${at}/layer.tar`) },
      ]),
    },
  ]
  return { id, files, tar: tarOf(files) }
}
