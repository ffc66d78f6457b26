// What builds have left for the next one, as it is listed and removed.
export interface CacheRecord {
  /** 64 hexadecimal digits. */
  id: string
  parent: string
  /** `regular`: a layer; `exec.cachemount`: a folder that steps share; `source.local`: a context as it was sent last. */
  type: 'regular' | 'exec.cachemount' | 'source.local'
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
