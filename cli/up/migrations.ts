import type { Migration } from '@atoll/kernel/db/migration'
import { serviceNames } from '../config.ts'

type ServiceName = (typeof serviceNames)[number]

const lists: Record<ServiceName, () => Promise<readonly Migration[]>> = {
  platform: async () => (await import('@atoll/platform/migrations/migrations')).platformMigrations,
  engine: async () => (await import('@atoll/engine/migrations')).engineMigrations,
  hooks: async () => (await import('@atoll/hooks/migrations')).hooksMigrations,
  cluster: async () => (await import('@atoll/cluster/migrations')).clusterMigrations,
}

/** Of these services, in the order they are started. */
export async function migrationsOf(services: readonly ServiceName[]): Promise<Migration[]> {
  const chosen = serviceNames.filter((name) => services.includes(name))
  return (await Promise.all(chosen.map((name) => lists[name]()))).flat()
}
