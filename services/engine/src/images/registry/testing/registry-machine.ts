// Runs on an isolated host: registries beside its engine, an index, and a proxy that holds requests up.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type FaultyProxy, startFaultyProxy } from './faulty-proxy.ts'
import { startRegistry } from './registry-server.ts'
import { startTokenServer, type TokenServer } from './token-server.ts'

const stops: (() => Promise<void>)[] = []
let proxy: FaultyProxy
let tokens: TokenServer
let held = Promise.withResolvers<void>()
let givenUp = Promise.withResolvers<void>()

interface Hosts {
  /** One for a name and a password, and one with a server for tokens. */
  withPasswords: string
  withTokens: string
  /** The way to the first that holds requests up. */
  proxied: string
}

export async function start(folder: string): Promise<Hosts> {
  tokens = await startTokenServer(folder)
  const withTokens = await startRegistry({ tokens })
  const withPasswords = await startRegistry({ basicAuth: true })
  proxy = await startFaultyProxy(withPasswords.host)
  stops.push(...[proxy, withPasswords, withTokens, tokens].map((each) => () => each.stop()))
  return { withPasswords: withPasswords.host, withTokens: withTokens.host, proxied: proxy.host }
}

export async function stop(): Promise<void> {
  for (const each of stops.splice(0)) await each()
}

export const token = (scopes: string[]): string => tokens.token(scopes)

/** Requests of a method whose address has a part are not answered, after the first few. */
export function holdUp(method: string, part: string, passed = 0): void {
  let seen = 0
  held = Promise.withResolvers()
  givenUp = Promise.withResolvers()
  proxy.fault = (request) => {
    if (request.method !== method || !request.url?.includes(part) || seen++ < passed) return undefined
    held.resolve()
    const answer = (response: import('node:http').ServerResponse) => {
      response.on('close', () => givenUp.resolve())
      request.resume() // who does not read does not notice that the other end is gone
    }
    return { answer }
  }
}

export const isHeld = (): Promise<void> => held.promise
export const isGivenUp = (): Promise<void> => givenUp.promise
export function letPass(): void {
  proxy.fault = () => undefined
}

/** An index as docker.io has one; it answers with the results whose name has the word. */
export async function startIndex(results: readonly { name: string }[]): Promise<string> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x')
    if (pathname !== '/v1/search') return void response.writeHead(404).end('no')
    const found = results.filter(({ name }) => name.includes(searchParams.get('q') ?? ''))
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ results: found }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  stops.push(async () => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
