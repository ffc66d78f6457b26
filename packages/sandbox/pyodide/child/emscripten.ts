// The parts of Emscripten's file system that are used here; its own types leave the inner ones out.
export interface Node {
  name: string
  mode: number
  /** Of a folder: its entries by name. Of a file: its bytes and what is reserved for more. */
  contents: Uint8Array | Record<string, Node>
  usedBytes: number
}

export interface Stream {
  node: Node
}

type Write = (
  stream: Stream,
  buffer: Uint8Array,
  offset: number,
  length: number,
  position: number,
  canOwn?: boolean,
) => number
type SetAttributes = (node: Node, attributes: { size?: number }) => void

export interface MemoryFiles {
  createNode(parent: Node | null, name: string, mode: number, dev: number): Node
  expandFileStorage(node: Node, capacity: number): void
  stream_ops: { write: Write }
  ops_table: { file: { stream: { write: Write }; node: { setattr: SetAttributes } } }
}

export interface FileSystem {
  root: Node
  filesystems: { MEMFS: MemoryFiles } & Record<string, unknown>
  ErrnoError: new (errno: number) => Error
  createDevice: { major: number }
  makedev(major: number, minor: number): number
  registerDevice(dev: number, ops: { open(stream: Stream): void; write: Write }): void
  mkdev(path: string, dev: number): void
  mkdirTree(path: string): void
  chdir(path: string): void
  writeFile(path: string, bytes: Uint8Array | string): void
  unlink(path: string): void
  isDir(mode: number): boolean
  isFile(mode: number): boolean
  lookupPath(path: string): { node: Node }
}
