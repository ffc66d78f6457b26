// Files on their way to the server, one after the other.
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { messageOf } from '../../api/api-error.ts'
import { upload } from '../../api/upload.ts'

export interface Upload {
  id: number
  file: File
  purpose: string
  share: number
  state: 'waiting' | 'sending' | 'done' | 'failed'
  problem?: string
}

let lastId = 0

export function useUploads(project: string, purpose: string) {
  const [uploads, setUploads] = useState<Upload[]>([])
  const turn = useRef(Promise.resolve())
  const queries = useQueryClient()
  const update = (id: number, change: Partial<Upload>) =>
    setUploads((all) => all.map((one) => (one.id === id ? { ...one, ...change } : one)))

  const begin = ({ id, file, purpose: its }: Upload) => {
    turn.current = turn.current.then(async () => {
      update(id, { state: 'sending' })
      try {
        await upload({ file, purpose: its, project, onProgress: (share) => update(id, { share }) })
        update(id, { state: 'done', share: 1 })
        await queries.invalidateQueries({ queryKey: ['/v1/files'] })
      } catch (error) {
        update(id, { state: 'failed', problem: messageOf(error) })
      }
    })
  }
  const add = (files: File[]) => {
    for (const file of files) {
      lastId += 1
      const one: Upload = { id: lastId, file, purpose, share: 0, state: 'waiting' }
      setUploads((all) => [...all, one])
      begin(one)
    }
  }
  /** A large file goes on after its last part. */
  const again = (failed: Upload) => {
    update(failed.id, { state: 'waiting' })
    begin(failed)
  }
  return { uploads, add, again }
}
