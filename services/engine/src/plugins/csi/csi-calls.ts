// Calls of a CSI plugin: gRPC over its socket, on a connection for each call. Every call has a time limit, every answer
// a limit of bytes.
import { systemError, unavailable } from '../../errors.ts'
import { GrpcClient } from '../../grpc/client.ts'
import type { Message } from '../../grpc/message.ts'
import { GrpcFailure } from '../../grpc/status.ts'
import type { PluginProcess } from '../plugin-process.ts'
import type { PluginRecord } from '../plugin-record.ts'
import { Capabilities, Nothing } from './csi-messages.ts'

const maxAnswerBytes = 1024 * 1024
const maxWords = 1_000

export interface CsiParts {
  plugin(): PluginRecord
  process: PluginProcess
}

export class CsiCalls {
  readonly #parts: CsiParts

  constructor(parts: CsiParts) {
    this.#parts = parts
  }

  get name(): string {
    return this.#parts.plugin().name
  }

  /** `call('Node/NodeGetInfo', …)`. Of failures that gRPC tells of, those in `forgiven` count as nothing to do. */
  async call<Q, A>(
    method: string,
    [request, asked]: [Message<Q>, Partial<Q>],
    answer: Message<A>,
    forgiven: readonly number[] = [],
  ): Promise<A | undefined> {
    const { name, timeoutMs } = this.#parts.plugin()
    const signal = AbortSignal.timeout(timeoutMs)
    try {
      const socket = await this.#parts.process.socket()
      const client = new GrpcClient(await socket.connect(signal), maxAnswerBytes)
      try {
        return await client.unary(`/csi.v1.${method}`, request, asked, answer, { signal })
      } finally {
        client.close()
      }
    } catch (error) {
      if (signal.aborted) throw unavailable(`plugin ${name} did not answer ${method} within ${timeoutMs / 1000} s`)
      if (!(error instanceof GrpcFailure)) throw error
      if (forgiven.includes(error.code)) return undefined
      throw systemError(`${method}: plugin ${name}: ${error.message.slice(0, maxWords)}`)
    }
  }

  /** `can('Node/NodeGetCapabilities', capabilities.node.stageUnstage)` */
  async can(method: string, wanted: number): Promise<boolean> {
    const told = await this.call(method, [Nothing, {}], Capabilities)
    return told?.capabilities.some(({ typed }) => typed?.type === wanted) === true
  }
}
