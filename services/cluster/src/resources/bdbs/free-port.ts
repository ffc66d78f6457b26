import { createServer } from 'node:net'
import * as errors from '../../errors.ts'

/** A port that nobody listens on now. */
export const freePort = (host: string): Promise<number> => probe(host, 0)

/** Throws when somebody listens there. */
function probe(host: string, port: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const server = createServer()
  server.once('error', reject)
  server.listen({ host, port, exclusive: true }, () => {
    const address = server.address()
    server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : port))
  })
  return promise
}

interface Surroundings {
  host: string
  endpointPorts: { from: number; to: number }
}

/** For an endpoint: the one asked for, or the first that is free. Throws 409. */
export async function choosePort(
  { host, endpointPorts: { from, to } }: Surroundings,
  taken: readonly number[],
  asked: number | undefined,
): Promise<number> {
  const isFree = async (port: number) => !taken.includes(port) && (await probe(host, port).then(Boolean, () => false))
  if (asked !== undefined) {
    if (await isFree(asked)) return asked
    throw errors.portUnavailable(asked)
  }
  for (let port = from; port <= to; port++) if (await isFree(port)) return port
  throw errors.noFreePort(from, to)
}
