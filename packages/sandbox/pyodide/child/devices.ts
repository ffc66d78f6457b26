// Two devices through which Python asks for something without holding any JavaScript: it writes to a file.
import type { FileSystem } from './emscripten.ts'

export interface Asked {
  sleep(milliseconds: number): void
  showImage(name: string, bytes: Uint8Array): void
}

const newline = 10

export function installDevices(files: FileSystem, asked: Asked): void {
  install(files, '/dev/sleep', (bytes) => asked.sleep(Number(Buffer.from(bytes).toString('latin1'))))
  install(files, '/dev/image', (bytes) => {
    const at = bytes.indexOf(newline)
    asked.showImage(Buffer.from(bytes.subarray(0, at)).toString('utf8'), bytes.slice(at + 1))
  })
}

function install(files: FileSystem, path: string, onWrite: (bytes: Uint8Array) => void): void {
  const dev = files.makedev(files.createDevice.major++, 0)
  files.registerDevice(dev, {
    open: (stream) => void Object.assign(stream, { seekable: false }),
    write(_stream, buffer, offset, length) {
      onWrite(new Uint8Array(buffer.buffer, buffer.byteOffset + offset, length))
      return length
    },
  })
  files.mkdev(path, dev)
}
