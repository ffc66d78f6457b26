// A build that failed, with the lines of the Dockerfile that are to blame: clients show them.
import { DockerfileProblem } from '../build/dockerfile/problem.ts'
import { codes, GrpcFailure } from '../grpc/status.ts'
import { failureWords } from './failure-words.ts'
import { RpcStatus } from './protocol/gateway.ts'
import type { Lines } from './status/kit-progress.ts'

export interface DockerfileText {
  name: string
  text: string
}

export function buildFailure(error: unknown, file?: DockerfileText, failedAt?: Lines): GrpcFailure {
  if (error instanceof GrpcFailure && error.details !== undefined) return error
  const message = failureWords(error)
  const code = error instanceof GrpcFailure ? error.code : codes.unknown
  const lines = error instanceof DockerfileProblem ? { start: error.line, end: error.line } : failedAt
  if (file === undefined || lines === undefined) return new GrpcFailure(code, message)
  const source = {
    info: { filename: file.name, data: Buffer.from(file.text).toString('base64'), language: 'Dockerfile' },
    ranges: [{ start: { line: lines.start }, end: { line: lines.end } }],
  }
  const typeUrl = 'github.com/moby/buildkit/errdefs.Source+json'
  const details = [{ typeUrl, value: Buffer.from(JSON.stringify(source)) }]
  // Trailers have a limit: with a long Dockerfile the words have to do.
  const status = RpcStatus.encode({ code, message, details })
  return new GrpcFailure(code, message, status.length > maxDetailBytes ? undefined : status)
}

const maxDetailBytes = 32 * 1024
