// Something that changes what lists show: they are asked anew, and a failure is told.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useToast } from '../parts/toast.tsx'
import { messageOf } from './api-error.ts'

export function useChange<Given, Result>(change: (given: Given) => Promise<Result>, changed: string[]) {
  const queries = useQueryClient()
  const say = useToast()
  return useMutation({
    mutationFn: change,
    onSuccess: () => queries.invalidateQueries({ predicate: ({ queryKey: [name] }) => changed.includes(String(name)) }),
    onError: (error) => say(messageOf(error), 'bad'),
  })
}
