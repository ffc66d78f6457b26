// Messages of what a client offers while it builds: files, secrets, credentials, its agent's keys.
import { bytes, int32, int64, map, message, nested, type Read, string, uint32 } from '../../grpc/message.ts'

export const BytesMessage = message({ data: bytes(1) })

export const Stat = message({
  path: string(1),
  /** Bits of Go's `os.FileMode`. */
  mode: uint32(2),
  uid: uint32(3),
  gid: uint32(4),
  size: int64(5),
  /** Nanoseconds. */
  modTime: int64(6),
  linkname: string(7),
  devMajor: int64(8),
  devMinor: int64(9),
  xattrs: map(10, bytes),
})
export type Stat = Read<typeof Stat>

export const packetTypes = { stat: 0, request: 1, data: 2, finish: 3, error: 4 } as const

export const Packet = message({ type: int32(1), stat: nested(2, Stat), id: uint32(3), data: bytes(4) })
export type Packet = Read<typeof Packet>

export const SecretRequest = message({ id: string(1) })
export const SecretResponse = message({ data: bytes(1) })
export const CredentialsRequest = message({ host: string(1) })
export const CredentialsResponse = message({ username: string(1), secret: string(2) })
export const AgentRequest = message({ id: string(1) })

export const methods = {
  diffCopy: '/moby.filesync.v1.FileSync/DiffCopy',
  sendFiles: '/moby.filesync.v1.FileSend/DiffCopy',
  pull: '/moby.upload.v1.Upload/Pull',
  secret: '/moby.buildkit.secrets.v1.Secrets/GetSecret',
  credentials: '/moby.filesync.v1.Auth/Credentials',
  checkAgent: '/moby.sshforward.v1.SSH/CheckAgent',
  forwardAgent: '/moby.sshforward.v1.SSH/ForwardAgent',
} as const
