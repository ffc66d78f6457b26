// What becomes of a build's result.
import { refusal } from './frontend-attrs.ts'

export type Output =
  /** An image of this engine. */
  | { kind: 'image'; names: string[]; isPushed: boolean }
  /** Files that the client takes: one by one, as one tar, or as an archive of the image. */
  | { kind: 'files' }
  | { kind: 'tar' }
  | { kind: 'archive'; names: string[] }

export interface AskedOutput {
  type: string
  attrs: ReadonlyMap<string, string>
}

const imageAttrs = ['name', 'push', 'load', 'unpack', 'store', 'name-canonical', 'dangling-name-prefix', 'dest', 'tar']

export function readOutput({ type, attrs }: AskedOutput): Output {
  const names = (attrs.get('name') ?? '').split(',').filter(Boolean)
  switch (type) {
    case 'moby':
    case 'image':
      refuseAttrs(type, attrs)
      return { kind: 'image', names, isPushed: attrs.get('push') === 'true' }
    case 'registry':
      refuseAttrs(type, attrs)
      return { kind: 'image', names, isPushed: true }
    case 'docker':
    case 'oci':
      refuseAttrs(type, attrs)
      if (attrs.get('tar') === 'false') throw refusal(`output ${type} with tar=false is not made by this engine`)
      return { kind: 'archive', names }
    case 'local':
      return { kind: 'files' }
    case 'tar':
      return { kind: 'tar' }
    default:
      throw refusal(`output type ${type} is not made by this engine; it makes image, local, tar, docker and oci`)
  }
}

/** Compression, annotations and the like would be promised and not done. */
function refuseAttrs(type: string, attrs: ReadonlyMap<string, string>): void {
  const unknown = [...attrs.keys()].find((name) => !imageAttrs.includes(name))
  if (unknown !== undefined) throw refusal(`output ${type}: ${unknown} is not supported by this engine`)
}
