// Saves what the engine sends as an archive: a single file as itself, all else as it came.
import { sendTo } from '../../api/service-client.ts'

const blockBytes = 512
const fileType = 48 // '0'

export async function saveArchive(path: string, name: string): Promise<void> {
  const archive = await (await sendTo('engine', path)).blob()
  const head = new Uint8Array(await archive.slice(0, blockBytes).arrayBuffer())
  const size = Number.parseInt(new TextDecoder().decode(head.subarray(124, 135)), 8)
  if (head[156] === fileType && Number.isFinite(size)) save(archive.slice(blockBytes, blockBytes + size), name)
  else save(archive, `${name}.tar`)
}

function save(content: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
