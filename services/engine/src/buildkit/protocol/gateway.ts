// Messages of the interface by which a client has a frontend run, and says what becomes of the result.
import { bool, bytes, int32, map, message, nested, type Read, repeated, string } from '../../grpc/message.ts'

const Capability = message({ id: string(1), isEnabled: bool(2) })
export const PongResponse = message({
  frontendCapabilities: repeated(nested(1, Capability)),
  graphCapabilities: repeated(nested(2, Capability)),
})

export const BridgeSolveRequest = message({
  definition: bytes(1),
  frontend: string(2),
  frontendOpt: map(3, string),
})
export type BridgeSolveRequest = Read<typeof BridgeSolveRequest>

const Ref = message({ id: string(1) })
/** Clients that were told of no newer way say the id alone. */
const Result = message({ id: string(1), ref: nested(3, Ref), metadata: map(10, bytes) })
export const BridgeSolveResponse = message({ result: nested(3, Result) })

const Any = message({ typeUrl: string(1), value: bytes(2) })
/** `google.rpc.Status` */
export const RpcStatus = message({ code: int32(1), message: string(2), details: repeated(nested(3, Any)) })

export const ReturnRequest = message({ result: nested(1, Result), error: nested(2, RpcStatus) })
export type ReturnRequest = Read<typeof ReturnRequest>
