// What the configuration of a database needs of its modules.

export interface CapabilityUse {
  replication: boolean
  data_persistence: 'disabled' | 'aof' | 'snapshot'
  eviction_policy: string
}

export function neededCapabilities(database: CapabilityUse): { capability: string; because: string }[] {
  const needs: { capability: string; because: string }[] = []
  if (database.replication) needs.push({ capability: 'failover_migrate', because: 'replication' })
  if (database.data_persistence === 'aof')
    needs.push({ capability: 'persistence_aof', because: 'data_persistence aof' })
  if (database.data_persistence === 'snapshot') {
    needs.push({ capability: 'persistence_rdb', because: 'data_persistence snapshot' })
  }
  if (database.eviction_policy !== 'noeviction') {
    needs.push({ capability: 'eviction_expiry', because: `eviction_policy ${database.eviction_policy}` })
  }
  return needs
}
