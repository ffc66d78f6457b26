// A receiver that runs on another machine of a test: see isolatedHost().module.
import { ForwardServer, type ReceivedEvent } from './forward-server.ts'

let server: ForwardServer | undefined

export async function open(address: string | number): Promise<number> {
  server = await new ForwardServer(address).listen()
  return server.port
}

/** All events, once there are as many. */
export async function received(count: number): Promise<ReceivedEvent[]> {
  await server?.until(({ events }) => events.length >= count)
  return server?.events ?? []
}
