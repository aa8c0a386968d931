// RFC 2307 and its revision (draft-howard-rfc2307bis). Two choices beside RFC 2307:
// integers have an ordering rule, and `description` is never required.
#include "schema/builtin.h"

namespace kauri::schema::builtin {

std::string_view nis_common() {
  return R"schema(
attributetype
  ( 1.3.6.1.1.1.1.0 NAME 'uidNumber' EQUALITY integerMatch ORDERING integerOrderingMatch SYNTAX
    1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE X-ORIGIN 'RFC 2307' )
attributetype
  ( 1.3.6.1.1.1.1.1 NAME 'gidNumber' EQUALITY integerMatch ORDERING integerOrderingMatch SYNTAX
    1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE X-ORIGIN 'RFC 2307' )
attributetype ( 1.3.6.1.1.1.1.3 NAME 'homeDirectory' EQUALITY caseExactIA5Match SYNTAX
  1.3.6.1.4.1.1466.115.121.1.26 SINGLE-VALUE X-ORIGIN 'RFC 2307' )
attributetype ( 1.3.6.1.1.1.1.4 NAME 'loginShell' EQUALITY caseExactIA5Match SYNTAX
  1.3.6.1.4.1.1466.115.121.1.26 SINGLE-VALUE X-ORIGIN 'RFC 2307' )
attributetype
  ( 1.3.6.1.1.1.1.5 NAME 'shadowLastChange' EQUALITY integerMatch ORDERING integerOrderingMatch
    SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE X-ORIGIN 'RFC 2307' )
attributetype
  ( 1.3.6.1.1.1.1.6 NAME 'shadowMin' EQUALITY integerMatch ORDERING integerOrderingMatch SYNTAX
    1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE X-ORIGIN 'RFC 2307' )
attributetype
  ( 1.3.6.1.1.1.1.7 NAME 'shadowMax' EQUALITY integerMatch ORDERING integerOrderingMatch SYNTAX
    1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE X-ORIGIN 'RFC 2307' )
attributetype
  ( 1.3.6.1.1.1.1.8 NAME 'shadowWarning' EQUALITY integerMatch ORDERING integerOrderingMatch
    SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE X-ORIGIN 'RFC 2307' )
attributetype
  ( 1.3.6.1.1.1.1.9 NAME 'shadowInactive' EQUALITY integerMatch ORDERING integerOrderingMatch
    SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE X-ORIGIN 'RFC 2307' )
attributetype
  ( 1.3.6.1.1.1.1.10 NAME 'shadowExpire' EQUALITY integerMatch ORDERING integerOrderingMatch
    SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE X-ORIGIN 'RFC 2307' )
attributetype
  ( 1.3.6.1.1.1.1.11 NAME 'shadowFlag' EQUALITY integerMatch ORDERING integerOrderingMatch SYNTAX
    1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE X-ORIGIN 'RFC 2307' )
attributetype
  ( 1.3.6.1.1.1.1.15 NAME 'ipServicePort' EQUALITY integerMatch ORDERING integerOrderingMatch
    SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE X-ORIGIN 'RFC 2307' )
attributetype
  ( 1.3.6.1.1.1.1.17 NAME 'ipProtocolNumber' EQUALITY integerMatch ORDERING integerOrderingMatch
    SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE X-ORIGIN 'RFC 2307' )
attributetype
  ( 1.3.6.1.1.1.1.18 NAME 'oncRpcNumber' EQUALITY integerMatch ORDERING integerOrderingMatch
    SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE X-ORIGIN 'RFC 2307' )
attributetype ( 1.3.6.1.1.1.1.24 NAME 'bootFile' EQUALITY caseExactIA5Match SYNTAX
  1.3.6.1.4.1.1466.115.121.1.26 X-ORIGIN 'RFC 2307' )
objectclass
  ( 1.3.6.1.1.1.2.8 NAME 'nisNetgroup' SUP top STRUCTURAL MUST cn MAY ( nisNetgroupTriple $
    memberNisNetgroup $ description ) X-ORIGIN 'RFC 2307' )
objectclass
  ( 1.3.6.1.1.1.2.9 NAME 'nisMap' SUP top STRUCTURAL MUST nisMapName MAY description X-ORIGIN
    'RFC 2307' )
objectclass
  ( 1.3.6.1.1.1.2.10 NAME 'nisObject' SUP top STRUCTURAL MUST ( cn $ nisMapEntry $ nisMapName )
    MAY description X-ORIGIN 'RFC 2307' )
objectclass
  ( 1.3.6.1.1.1.2.11 NAME 'ieee802Device' SUP top AUXILIARY MAY macAddress X-ORIGIN 'RFC 2307' )
objectclass
  ( 1.3.6.1.1.1.2.12 NAME 'bootableDevice' SUP top AUXILIARY MAY ( bootFile $ bootParameter )
    X-ORIGIN 'RFC 2307' )
objectclass ( 1.3.6.1.1.1.2.3 NAME 'ipService' SUP top STRUCTURAL MUST ( cn $ ipServicePort $
  ipServiceProtocol ) MAY description X-ORIGIN 'RFC 2307' )
objectclass
  ( 1.3.6.1.1.1.2.4 NAME 'ipProtocol' SUP top STRUCTURAL MUST ( cn $ ipProtocolNumber ) MAY
    description X-ORIGIN 'RFC 2307' )
objectclass
  ( 1.3.6.1.1.1.2.5 NAME 'oncRpc' SUP top STRUCTURAL MUST ( cn $ oncRpcNumber ) MAY description
    X-ORIGIN 'RFC 2307' )
)schema";
}

std::string_view nis_rfc2307() {
  return R"schema(
attributetype
  ( 1.3.6.1.1.1.1.2 NAME 'gecos' EQUALITY caseIgnoreIA5Match SUBSTR caseIgnoreIA5SubstringsMatch
    SYNTAX 1.3.6.1.4.1.1466.115.121.1.26 SINGLE-VALUE X-ORIGIN 'RFC 2307' )
attributetype ( 1.3.6.1.1.1.1.12 NAME 'memberUid' EQUALITY caseExactIA5Match SUBSTR
  caseExactIA5SubstringsMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.26 X-ORIGIN 'RFC 2307' )
attributetype ( 1.3.6.1.1.1.1.13 NAME 'memberNisNetgroup' EQUALITY caseExactIA5Match SUBSTR
  caseExactIA5SubstringsMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.26 X-ORIGIN 'RFC 2307' )
attributetype
  ( 1.3.6.1.1.1.1.14 NAME 'nisNetgroupTriple' SYNTAX 1.3.6.1.1.1.0.0 X-ORIGIN 'RFC 2307' )
attributetype ( 1.3.6.1.1.1.1.16 NAME 'ipServiceProtocol' SUP name X-ORIGIN 'RFC 2307' )
attributetype ( 1.3.6.1.1.1.1.19 NAME 'ipHostNumber' EQUALITY caseIgnoreIA5Match SYNTAX
  1.3.6.1.4.1.1466.115.121.1.26{128} X-ORIGIN 'RFC 2307' )
attributetype ( 1.3.6.1.1.1.1.20 NAME 'ipNetworkNumber' EQUALITY caseIgnoreIA5Match SYNTAX
  1.3.6.1.4.1.1466.115.121.1.26{128} SINGLE-VALUE X-ORIGIN 'RFC 2307' )
attributetype ( 1.3.6.1.1.1.1.21 NAME 'ipNetmaskNumber' EQUALITY caseIgnoreIA5Match SYNTAX
  1.3.6.1.4.1.1466.115.121.1.26{128} SINGLE-VALUE X-ORIGIN 'RFC 2307' )
attributetype ( 1.3.6.1.1.1.1.22 NAME 'macAddress' EQUALITY caseIgnoreIA5Match SYNTAX
  1.3.6.1.4.1.1466.115.121.1.26{128} X-ORIGIN 'RFC 2307' )
attributetype ( 1.3.6.1.1.1.1.23 NAME 'bootParameter' SYNTAX 1.3.6.1.1.1.0.1 X-ORIGIN 'RFC 2307' )
attributetype ( 1.3.6.1.1.1.1.26 NAME 'nisMapName' SUP name X-ORIGIN 'RFC 2307' )
attributetype ( 1.3.6.1.1.1.1.27 NAME 'nisMapEntry' EQUALITY caseExactIA5Match SUBSTR
  caseExactIA5SubstringsMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.26{1024} SINGLE-VALUE X-ORIGIN
  'RFC 2307' )
objectclass
  ( 1.3.6.1.1.1.2.0 NAME 'posixAccount' SUP top AUXILIARY MUST ( cn $ uid $ uidNumber $ gidNumber
    $ homeDirectory ) MAY ( userPassword $ loginShell $ gecos $ description ) X-ORIGIN 'RFC 2307'
    )
objectclass ( 1.3.6.1.1.1.2.1 NAME 'shadowAccount' SUP top AUXILIARY MUST uid MAY ( userPassword $
  shadowLastChange $ shadowMin $ shadowMax $ shadowWarning $ shadowInactive $ shadowExpire $
  shadowFlag $ description ) X-ORIGIN 'RFC 2307' )
objectclass ( 1.3.6.1.1.1.2.2 NAME 'posixGroup' SUP top STRUCTURAL MUST ( cn $ gidNumber ) MAY (
  userPassword $ memberUid $ description ) X-ORIGIN 'RFC 2307' )
objectclass ( 1.3.6.1.1.1.2.6 NAME 'ipHost' SUP top AUXILIARY MUST ( cn $ ipHostNumber ) MAY ( l $
  description $ manager ) X-ORIGIN 'RFC 2307' )
objectclass
  ( 1.3.6.1.1.1.2.7 NAME 'ipNetwork' SUP top STRUCTURAL MUST ( cn $ ipNetworkNumber ) MAY (
    ipNetmaskNumber $ l $ description $ manager ) X-ORIGIN 'RFC 2307' )
)schema";
}

std::string_view nis_rfc2307bis() {
  return R"schema(
attributetype
  ( 1.3.6.1.1.1.1.2 NAME 'gecos' EQUALITY caseIgnoreMatch SUBSTR caseIgnoreSubstringsMatch SYNTAX
    1.3.6.1.4.1.1466.115.121.1.15 SINGLE-VALUE X-ORIGIN 'draft-howard-rfc2307bis' )
attributetype
  ( 1.3.6.1.1.1.1.12 NAME 'memberUid' EQUALITY caseExactMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15
    X-ORIGIN 'draft-howard-rfc2307bis' )
attributetype ( 1.3.6.1.1.1.1.13 NAME 'memberNisNetgroup' EQUALITY caseExactMatch SYNTAX
  1.3.6.1.4.1.1466.115.121.1.15 X-ORIGIN 'draft-howard-rfc2307bis' )
attributetype ( 1.3.6.1.1.1.1.14 NAME 'nisNetgroupTriple' EQUALITY caseIgnoreMatch SUBSTR
  caseIgnoreSubstringsMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 X-ORIGIN
  'draft-howard-rfc2307bis' )
attributetype ( 1.3.6.1.1.1.1.16 NAME 'ipServiceProtocol' EQUALITY caseIgnoreMatch SYNTAX
  1.3.6.1.4.1.1466.115.121.1.15 X-ORIGIN 'draft-howard-rfc2307bis' )
attributetype ( 1.3.6.1.1.1.1.19 NAME 'ipHostNumber' EQUALITY caseIgnoreIA5Match SYNTAX
  1.3.6.1.4.1.1466.115.121.1.26 X-ORIGIN 'draft-howard-rfc2307bis' )
attributetype ( 1.3.6.1.1.1.1.20 NAME 'ipNetworkNumber' EQUALITY caseIgnoreIA5Match SYNTAX
  1.3.6.1.4.1.1466.115.121.1.26 SINGLE-VALUE X-ORIGIN 'draft-howard-rfc2307bis' )
attributetype ( 1.3.6.1.1.1.1.21 NAME 'ipNetmaskNumber' EQUALITY caseIgnoreIA5Match SYNTAX
  1.3.6.1.4.1.1466.115.121.1.26 SINGLE-VALUE X-ORIGIN 'draft-howard-rfc2307bis' )
attributetype ( 1.3.6.1.1.1.1.22 NAME 'macAddress' EQUALITY caseIgnoreIA5Match SYNTAX
  1.3.6.1.4.1.1466.115.121.1.26 X-ORIGIN 'draft-howard-rfc2307bis' )
attributetype ( 1.3.6.1.1.1.1.23 NAME 'bootParameter' EQUALITY caseExactIA5Match SYNTAX
  1.3.6.1.4.1.1466.115.121.1.26 X-ORIGIN 'draft-howard-rfc2307bis' )
attributetype ( 1.3.6.1.1.1.1.26 NAME 'nisMapName' EQUALITY caseIgnoreMatch SYNTAX
  1.3.6.1.4.1.1466.115.121.1.15{64} X-ORIGIN 'draft-howard-rfc2307bis' )
attributetype ( 1.3.6.1.1.1.1.27 NAME 'nisMapEntry' EQUALITY caseExactMatch SYNTAX
  1.3.6.1.4.1.1466.115.121.1.15{1024} SINGLE-VALUE X-ORIGIN 'draft-howard-rfc2307bis' )
attributetype ( 1.3.6.1.1.1.1.28 NAME 'nisPublicKey' EQUALITY octetStringMatch SYNTAX
  1.3.6.1.4.1.1466.115.121.1.40 SINGLE-VALUE X-ORIGIN 'draft-howard-rfc2307bis' )
attributetype ( 1.3.6.1.1.1.1.29 NAME 'nisSecretKey' EQUALITY octetStringMatch SYNTAX
  1.3.6.1.4.1.1466.115.121.1.40 SINGLE-VALUE X-ORIGIN 'draft-howard-rfc2307bis' )
attributetype ( 1.3.6.1.1.1.1.30 NAME 'nisDomain' EQUALITY caseIgnoreIA5Match SYNTAX
  1.3.6.1.4.1.1466.115.121.1.26{256} X-ORIGIN 'draft-howard-rfc2307bis' )
attributetype ( 1.3.6.1.1.1.1.31 NAME 'automountMapName' EQUALITY caseExactMatch SYNTAX
  1.3.6.1.4.1.1466.115.121.1.15 SINGLE-VALUE X-ORIGIN 'draft-howard-rfc2307bis' )
attributetype ( 1.3.6.1.1.1.1.32 NAME 'automountKey' EQUALITY caseExactMatch SYNTAX
  1.3.6.1.4.1.1466.115.121.1.15 SINGLE-VALUE X-ORIGIN 'draft-howard-rfc2307bis' )
attributetype ( 1.3.6.1.1.1.1.33 NAME 'automountInformation' EQUALITY caseExactMatch SYNTAX
  1.3.6.1.4.1.1466.115.121.1.15 SINGLE-VALUE X-ORIGIN 'draft-howard-rfc2307bis' )
objectclass
  ( 1.3.6.1.1.1.2.0 NAME 'posixAccount' SUP top AUXILIARY MUST ( cn $ uid $ uidNumber $ gidNumber
    $ homeDirectory ) MAY ( authPassword $ userPassword $ loginShell $ gecos $ description )
    X-ORIGIN 'draft-howard-rfc2307bis' )
objectclass ( 1.3.6.1.1.1.2.1 NAME 'shadowAccount' SUP top AUXILIARY MUST uid MAY ( authPassword $
  userPassword $ description $ shadowLastChange $ shadowMin $ shadowMax $ shadowWarning $
  shadowInactive $ shadowExpire $ shadowFlag ) X-ORIGIN 'draft-howard-rfc2307bis' )
objectclass
  ( 1.3.6.1.1.1.2.2 NAME 'posixGroup' SUP top AUXILIARY MUST gidNumber MAY ( authPassword $
    userPassword $ memberUid $ description ) X-ORIGIN 'draft-howard-rfc2307bis' )
objectclass ( 1.3.6.1.1.1.2.7 NAME 'ipNetwork' SUP top STRUCTURAL MUST ipNetworkNumber MAY ( cn $
  ipNetmaskNumber $ l $ description $ manager ) X-ORIGIN 'draft-howard-rfc2307bis' )
objectclass
  ( 1.3.6.1.1.1.2.14 NAME 'nisKeyObject' SUP top AUXILIARY MUST ( cn $ nisPublicKey $ nisSecretKey
    ) MAY ( uidNumber $ description ) X-ORIGIN 'draft-howard-rfc2307bis' )
objectclass ( 1.3.6.1.1.1.2.15 NAME 'nisDomainObject' SUP top AUXILIARY MUST nisDomain X-ORIGIN
  'draft-howard-rfc2307bis' )
objectclass ( 1.3.6.1.1.1.2.16 NAME 'automountMap' SUP top STRUCTURAL MUST ( automountMapName ) MAY
  description X-ORIGIN 'draft-howard-rfc2307bis' )
objectclass ( 1.3.6.1.1.1.2.17 NAME 'automount' SUP top STRUCTURAL MUST ( automountKey $
  automountInformation ) MAY description X-ORIGIN 'draft-howard-rfc2307bis' )
objectclass
  ( 1.3.6.1.1.1.2.18 NAME 'groupOfMembers' SUP top STRUCTURAL MUST cn MAY ( businessCategory $
    seeAlso $ owner $ ou $ o $ description $ member ) X-ORIGIN 'draft-howard-rfc2307bis' )
objectclass
  ( 1.3.6.1.1.1.2.6 NAME 'ipHost' SUP top AUXILIARY MUST ( cn $ ipHostNumber ) MAY ( authPassword
    $ userPassword $ l $ description $ manager ) X-ORIGIN 'draft-howard-rfc2307bis' )
)schema";
}

}  // namespace kauri::schema::builtin
