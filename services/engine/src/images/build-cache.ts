// What builds have left for the next one, as it is listed and removed.
export interface CacheRecord {
  /** 64 hexadecimal digits. */
  id: string
  parent: string
  /** `regular`: a layer; `exec.cachemount`: a folder that steps share. */
  type: 'regular' | 'exec.cachemount'
  description: string
  /** An image has the same layer. */
  isShared: boolean
  /** A build is using it now. */
  isInUse: boolean
  bytes: number
  createdAt: number
  usedAt: number
  uses: number
}

export interface CacheRecords {
  records(): Promise<CacheRecord[]>
  /** Those that are known without looking at the disk. */
  layers(): CacheRecord[]
  remove(records: readonly CacheRecord[]): Promise<void>
}
