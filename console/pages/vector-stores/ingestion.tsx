import type { VectorStoreObject } from '../../api/types.ts'

/** How far the files of a store are read. */
export function Ingestion({
  counts: { total, completed, failed, cancelled },
}: {
  counts: VectorStoreObject['file_counts']
}) {
  const ended = completed + failed + cancelled
  return (
    <>
      {ended < total ? (
        <span className="nowrap">
          <progress value={ended} max={total} aria-label="Files read" /> {ended} of {total}
        </span>
      ) : (
        <span className="nowrap">{completed} read</span>
      )}
      {failed > 0 && <span className="tag bad">{failed} failed</span>}
    </>
  )
}
