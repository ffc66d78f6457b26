import { defineRoute } from '../../../callers.ts'
import { listOf } from '../../../conventions/lists.ts'
import { AdminPage } from '../admin-page.ts'
import {
  AcceptedInvite,
  AcceptInvite,
  CreateInvite,
  InviteDeleted,
  InviteObject,
  InviteParams,
  SentInviteObject,
} from './schema.ts'
import type { Invites } from './service.ts'

export const inviteRoutes = (invites: Invites) => [
  defineRoute({
    method: 'GET',
    path: '/v1/organization/invites',
    auth: 'admin',
    summary: 'List invites',
    query: AdminPage,
    response: listOf(InviteObject),
    handler: (exchange) => invites.list(exchange, exchange.query),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/organization/invites',
    auth: 'admin',
    summary: 'Invite somebody to the organization',
    body: CreateInvite,
    response: SentInviteObject,
    handler: (exchange) => invites.send(exchange, exchange.body),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/organization/invites/:invite_id',
    auth: 'admin',
    summary: 'Retrieve an invite',
    params: InviteParams,
    response: InviteObject,
    handler: (exchange) => invites.get(exchange, exchange.params.invite_id),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/v1/organization/invites/:invite_id',
    auth: 'admin',
    summary: 'Delete an invite that was not accepted',
    params: InviteParams,
    response: InviteDeleted,
    handler: (exchange) => invites.delete(exchange, exchange.params.invite_id),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/invites/accept',
    auth: 'public',
    summary: 'Join an organization with the token of an invite',
    body: AcceptInvite,
    response: AcceptedInvite,
    handler: (exchange) => invites.accept(exchange, exchange.body),
  }),
]
