// Serves a service over HTTP.

import { createEndpoint } from './endpoint.ts'
import { type InnerListener, innerListener } from './forward/inner-listener.ts'
import { type AnyService, createHost } from './host.ts'
import type { Listener, ListenOptions } from './options.ts'
import { type KnownPath, notFoundEndpoint } from './routing/not-found.ts'
import type { ServerRoute } from './routing/router.ts'
import { bind, urlOf } from './server/bind.ts'
import { kernelRoutes } from './server/kernel-routes.ts'
import { createServer } from './server/server.ts'
import { closeServer } from './server/shutdown.ts'
import type { HttpService } from './service.ts'
import { homeOr } from './site/home-page.ts'
import { createUpgrades } from './sockets/upgrades.ts'

export type { Listener, ListenOptions } from './options.ts'

export async function listen<Callers>(service: HttpService<Callers>, options: ListenOptions): Promise<Listener> {
  const { host, server } = prepareServer(service, options)
  await bind(server, options.address)
  return { ...urlOf(server, options.tls !== undefined), close: (graceMs) => closeServer(server, host, graceMs) }
}

/** Without an address: nobody outside this process can reach it. */
export async function listenInside<Callers>(
  service: HttpService<Callers>,
  options: Omit<ListenOptions, 'address'> & { from: string },
): Promise<InnerListener> {
  const { host, server } = prepareServer(service, options)
  return innerListener(server, host, options.from)
}

function prepareServer<Callers>(service: HttpService<Callers>, options: Omit<ListenOptions, 'address'>) {
  const host = createHost(service as unknown as AnyService, options)
  const routes = allRoutes(host.service, options)
  const upgrades = createUpgrades(host)
  const notFound = notFoundEndpoint(knownPaths(host.service, routes))
  const server = createServer({
    host,
    tls: options.tls,
    cors: options.cors,
    routes,
    notFound: options.home === undefined ? notFound : homeOr(options.home, notFound),
    shouldUpgrade: upgrades.shouldUpgrade,
  })
  upgrades.watch(server)
  return { host, server }
}

/** A service may answer a path of the kernel's itself. */
function allRoutes(service: AnyService, options: Omit<ListenOptions, 'address'>): ServerRoute[] {
  const own = byPlace(service.routes.filter(isPlain)).map((routes) => ({
    methods: routes[0].method === 'GET' ? ['GET', 'HEAD'] : [routes[0].method],
    path: routes[0].path,
    endpoint: createEndpoint(routes, service.isLenient),
  }))
  const taken = new Set(own.map(({ path }) => path))
  return [...own, ...kernelRoutes(service, options).filter(({ path }) => !taken.has(path))]
}

/** Routes of one method and path stand together: variants of each other. */
function byPlace(routes: readonly AnyRoute[]): [AnyRoute, ...AnyRoute[]][] {
  const places = new Map<string, [AnyRoute, ...AnyRoute[]]>()
  for (const route of routes) {
    const place = `${route.method} ${route.path}`
    const others = places.get(place)
    if (others === undefined) places.set(place, [route])
    else others.push(route)
  }
  return [...places.values()]
}

type AnyRoute = AnyService['routes'][number]

/** Raw routes never reach the router: their connections are taken before. */
const isPlain = ({ response }: AnyService['routes'][number]): boolean => response !== 'raw'

function knownPaths({ routes, sockets = [] }: AnyService, served: ServerRoute[]): KnownPath[] {
  return [
    ...served.flatMap(({ methods, path }) => methods.map((method) => ({ method, path }))),
    ...routes.filter((route) => !isPlain(route)).map(({ method, path }) => ({ method, path })),
    ...sockets.map(({ path }) => ({ method: 'GET', path })),
  ]
}
