// Actions as the two versions of the interface show them.

import type { ActionObject, ActionObjectV2 } from './schema.ts'
import type { Action } from './service.ts'

const isStateMachine = ({ name }: Action): boolean => name.startsWith('SM')

/** Seconds since the epoch. */
const seconds = (ms: number): number => Math.floor(ms / 1000)

const told = ({ state, error }: Action) => ({
  ...(state === undefined ? {} : { state }),
  ...(error === undefined ? {} : { error }),
})

export const actionObject = (action: Action): ActionObject => ({
  action_uid: action.uid,
  name: action.name,
  object_name: action.objectName,
  node_uid: action.nodeUid,
  status: action.status,
  progress: action.progress,
  heartbeat: seconds(action.heartbeat),
  pending_ops: action.pendingOps,
  ...told(action),
})

export const actionLists = (actions: readonly Action[]) => ({
  actions: actions.filter((action) => !isStateMachine(action)).map(actionObject),
  'state-machines': actions.filter(isStateMachine).map(actionObject),
})

export function actionObjectV2(action: Action): ActionObjectV2 {
  const [type = '', ...uid] = action.objectName.split(':')
  return {
    action_uid: action.uid,
    action_type: isStateMachine(action) ? 'state-machine' : 'task',
    name: action.name,
    node_uid: action.nodeUid,
    status: action.status,
    progress: action.progress,
    creation_time: seconds(action.createdAt),
    additional_info: {
      description: action.description,
      object_type: type,
      object_uid: uid.join(':'),
      pending_ops: action.pendingOps,
      ...told(action),
    },
  }
}
