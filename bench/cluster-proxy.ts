// What the proxy of a Redis database's endpoint costs: redis-benchmark through it and past it.
// needs: redis-server, redis-benchmark
import { measureProxy } from './cluster/proxy.ts'

const rounds = 5

export const bench = (): Promise<void> => measureProxy(rounds)
