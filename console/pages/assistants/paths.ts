import type { AssistantObject } from '../../api/types.ts'

export const assistantsPath = '/v1/assistants'

export const nameOf = ({ name, id }: AssistantObject): string => (name === null || name === '' ? id : name)
