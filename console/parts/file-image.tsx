import { useQuery } from '@tanstack/react-query'
import { send } from '../api/client.ts'
import { Failure } from './failure.tsx'
import { useObjectUrl } from './use-object-url.ts'

/** A picture that only the session may fetch. */
export function FileImage({ id, project, label }: { id: string; project: string; label: string }) {
  const { data, error } = useQuery({
    queryKey: ['file-image', id],
    queryFn: async ({ signal }) => (await send(`/v1/files/${id}/content`, { project, signal })).blob(),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const url = useObjectUrl(data)
  if (error) return <Failure error={error} />
  if (url === undefined) return <p className="muted">Loading the picture …</p>
  return <img className="picture" src={url} alt={label} />
}
