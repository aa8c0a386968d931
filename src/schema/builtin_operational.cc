// What the server maintains or publishes: RFC 4512, RFC 2589, RFC 3045, RFC 3296, RFC 3672,
// RFC 4530, RFC 5020, the password policy of draft-behera-ldap-password-policy, and types that
// clients of other servers expect.
#include "schema/builtin.h"

namespace kauri::schema::builtin {

std::string_view operational() {
  return R"schema(
attributetype ( 2.5.18.3 NAME 'creatorsName' EQUALITY distinguishedNameMatch SYNTAX
  1.3.6.1.4.1.1466.115.121.1.12 SINGLE-VALUE NO-USER-MODIFICATION USAGE directoryOperation
  X-ORIGIN 'RFC 4512' )
attributetype ( 2.5.18.1 NAME 'createTimestamp' EQUALITY generalizedTimeMatch ORDERING
  generalizedTimeOrderingMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.24 SINGLE-VALUE
  NO-USER-MODIFICATION USAGE directoryOperation X-ORIGIN 'RFC 4512' )
attributetype ( 2.5.18.4 NAME 'modifiersName' EQUALITY distinguishedNameMatch SYNTAX
  1.3.6.1.4.1.1466.115.121.1.12 SINGLE-VALUE NO-USER-MODIFICATION USAGE directoryOperation
  X-ORIGIN 'RFC 4512' )
attributetype ( 2.5.18.2 NAME 'modifyTimestamp' EQUALITY generalizedTimeMatch ORDERING
  generalizedTimeOrderingMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.24 SINGLE-VALUE
  NO-USER-MODIFICATION USAGE directoryOperation X-ORIGIN 'RFC 4512' )
attributetype ( 2.5.21.9 NAME 'structuralObjectClass' EQUALITY objectIdentifierMatch SYNTAX
  1.3.6.1.4.1.1466.115.121.1.38 SINGLE-VALUE NO-USER-MODIFICATION USAGE directoryOperation
  X-ORIGIN 'RFC 4512' )
attributetype ( 2.5.21.10 NAME 'governingStructureRule' EQUALITY integerMatch SYNTAX
  1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE NO-USER-MODIFICATION USAGE directoryOperation
  X-ORIGIN 'RFC 4512' )
attributetype ( 2.5.18.10 NAME 'subschemaSubentry' EQUALITY distinguishedNameMatch SYNTAX
  1.3.6.1.4.1.1466.115.121.1.12 SINGLE-VALUE NO-USER-MODIFICATION USAGE directoryOperation
  X-ORIGIN 'RFC 4512' )
attributetype ( 2.5.21.6 NAME 'objectClasses' EQUALITY objectIdentifierFirstComponentMatch SYNTAX
  1.3.6.1.4.1.1466.115.121.1.37 USAGE directoryOperation X-ORIGIN 'RFC 4512' )
attributetype ( 2.5.21.5 NAME 'attributeTypes' EQUALITY objectIdentifierFirstComponentMatch SYNTAX
  1.3.6.1.4.1.1466.115.121.1.3 USAGE directoryOperation X-ORIGIN 'RFC 4512' )
attributetype ( 2.5.21.4 NAME 'matchingRules' EQUALITY objectIdentifierFirstComponentMatch SYNTAX
  1.3.6.1.4.1.1466.115.121.1.30 USAGE directoryOperation X-ORIGIN 'RFC 4512' )
attributetype ( 2.5.21.8 NAME 'matchingRuleUse' EQUALITY objectIdentifierFirstComponentMatch SYNTAX
  1.3.6.1.4.1.1466.115.121.1.31 USAGE directoryOperation X-ORIGIN 'RFC 4512' )
attributetype
  ( 1.3.6.1.4.1.1466.101.120.16 NAME 'ldapSyntaxes' EQUALITY objectIdentifierFirstComponentMatch
    SYNTAX 1.3.6.1.4.1.1466.115.121.1.54 USAGE directoryOperation X-ORIGIN 'RFC 4512' )
attributetype ( 2.5.21.2 NAME 'dITContentRules' EQUALITY objectIdentifierFirstComponentMatch SYNTAX
  1.3.6.1.4.1.1466.115.121.1.16 USAGE directoryOperation X-ORIGIN 'RFC 4512' )
attributetype ( 2.5.21.1 NAME 'dITStructureRules' EQUALITY integerFirstComponentMatch SYNTAX
  1.3.6.1.4.1.1466.115.121.1.17 USAGE directoryOperation X-ORIGIN 'RFC 4512' )
attributetype ( 2.5.21.7 NAME 'nameForms' EQUALITY objectIdentifierFirstComponentMatch SYNTAX
  1.3.6.1.4.1.1466.115.121.1.35 USAGE directoryOperation X-ORIGIN 'RFC 4512' )
attributetype
  ( 1.3.6.1.4.1.1466.101.120.6 NAME 'altServer' SYNTAX 1.3.6.1.4.1.1466.115.121.1.26 USAGE
    dSAOperation X-ORIGIN 'RFC 4512' )
attributetype
  ( 1.3.6.1.4.1.1466.101.120.5 NAME 'namingContexts' SYNTAX 1.3.6.1.4.1.1466.115.121.1.12 USAGE
    dSAOperation X-ORIGIN 'RFC 4512' )
attributetype
  ( 1.3.6.1.4.1.1466.101.120.13 NAME 'supportedControl' SYNTAX 1.3.6.1.4.1.1466.115.121.1.38 USAGE
    dSAOperation X-ORIGIN 'RFC 4512' )
attributetype
  ( 1.3.6.1.4.1.1466.101.120.7 NAME 'supportedExtension' SYNTAX 1.3.6.1.4.1.1466.115.121.1.38
    USAGE dSAOperation X-ORIGIN 'RFC 4512' )
attributetype
  ( 1.3.6.1.4.1.4203.1.3.5 NAME 'supportedFeatures' EQUALITY objectIdentifierMatch SYNTAX
    1.3.6.1.4.1.1466.115.121.1.38 USAGE dSAOperation X-ORIGIN 'RFC 4512' )
attributetype
  ( 1.3.6.1.4.1.1466.101.120.15 NAME 'supportedLDAPVersion' SYNTAX 1.3.6.1.4.1.1466.115.121.1.27
    USAGE dSAOperation X-ORIGIN 'RFC 4512' )
attributetype ( 1.3.6.1.4.1.1466.101.120.14 NAME 'supportedSASLMechanisms' SYNTAX
  1.3.6.1.4.1.1466.115.121.1.15 USAGE dSAOperation X-ORIGIN 'RFC 4512' )
attributetype ( 2.16.840.1.113730.3.1.34 NAME 'ref' EQUALITY caseExactMatch SYNTAX
  1.3.6.1.4.1.1466.115.121.1.15 USAGE distributedOperation X-ORIGIN 'RFC 3296' )
attributetype ( 1.3.6.1.1.16.4 NAME 'entryUUID' EQUALITY uuidMatch ORDERING uuidOrderingMatch SYNTAX
  1.3.6.1.1.16.1 SINGLE-VALUE NO-USER-MODIFICATION USAGE directoryOperation X-ORIGIN 'RFC 4530'
  )
attributetype ( 1.3.6.1.1.20 NAME 'entryDN' EQUALITY distinguishedNameMatch SYNTAX
  1.3.6.1.4.1.1466.115.121.1.12 SINGLE-VALUE NO-USER-MODIFICATION USAGE directoryOperation
  X-ORIGIN 'RFC 5020' )
attributetype
  ( 2.5.18.5 NAME 'administrativeRole' EQUALITY objectIdentifierMatch USAGE directoryOperation
    SYNTAX 1.3.6.1.4.1.1466.115.121.1.38 X-ORIGIN 'RFC 3672' )
attributetype ( 2.5.18.6 NAME 'subtreeSpecification' SINGLE-VALUE USAGE directoryOperation SYNTAX
  1.3.6.1.4.1.1466.115.121.1.45 X-ORIGIN 'RFC 3672' )
attributetype
  ( 1.3.6.1.1.4 NAME 'vendorName' EQUALITY caseExactIA5Match SYNTAX 1.3.6.1.4.1.1466.115.121.1.15
    SINGLE-VALUE NO-USER-MODIFICATION USAGE dSAOperation X-ORIGIN 'RFC 3045' )
attributetype ( 1.3.6.1.1.5 NAME 'vendorVersion' EQUALITY caseExactIA5Match SYNTAX
  1.3.6.1.4.1.1466.115.121.1.15 SINGLE-VALUE NO-USER-MODIFICATION USAGE dSAOperation X-ORIGIN
  'RFC 3045' )
attributetype
  ( 1.3.6.1.4.1.1466.101.119.3 NAME 'entryTtl' SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE
    NO-USER-MODIFICATION USAGE dSAOperation X-ORIGIN 'RFC 2589' )
attributetype
  ( 1.3.6.1.4.1.1466.101.119.4 NAME 'dynamicSubtrees' SYNTAX 1.3.6.1.4.1.1466.115.121.1.12
    NO-USER-MODIFICATION USAGE dSAOperation X-ORIGIN 'RFC 2589' )
attributetype
  ( 2.5.18.9 NAME 'hasSubordinates' EQUALITY booleanMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.7
    SINGLE-VALUE NO-USER-MODIFICATION USAGE directoryOperation X-ORIGIN 'X.501' )
attributetype ( 1.3.6.1.4.1.453.16.2.103 NAME 'numSubordinates' EQUALITY integerMatch ORDERING
  integerOrderingMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE NO-USER-MODIFICATION
  USAGE directoryOperation X-ORIGIN 'draft-boreham-numsubordinates' )
attributetype
  ( 1.3.6.1.4.1.4203.666.1.7 NAME 'entryCSN' EQUALITY CSNMatch ORDERING CSNOrderingMatch SYNTAX
    1.3.6.1.4.1.4203.666.11.2.1{64} SINGLE-VALUE NO-USER-MODIFICATION USAGE directoryOperation
    X-ORIGIN 'draft-chu-ldap-csn' )
attributetype
  ( 1.3.6.1.4.1.4203.666.1.25 NAME 'contextCSN' EQUALITY CSNMatch ORDERING CSNOrderingMatch SYNTAX
    1.3.6.1.4.1.4203.666.11.2.1{64} NO-USER-MODIFICATION USAGE dSAOperation X-ORIGIN
    'draft-chu-ldap-csn' )
attributetype ( 1.2.840.113556.1.2.102 NAME 'memberOf' EQUALITY distinguishedNameMatch SYNTAX
  1.3.6.1.4.1.1466.115.121.1.12 NO-USER-MODIFICATION USAGE dSAOperation X-ORIGIN 'MS-ADSC' )
attributetype
  ( 1.3.6.1.4.1.4203.1.12.2.1 NAME 'configContext' EQUALITY distinguishedNameMatch SYNTAX
    1.3.6.1.4.1.1466.115.121.1.12 SINGLE-VALUE NO-USER-MODIFICATION USAGE dSAOperation X-ORIGIN
    'OpenLDAP' )
attributetype
  ( 1.3.6.1.4.1.4203.666.1.10 NAME 'monitorContext' EQUALITY distinguishedNameMatch SYNTAX
    1.3.6.1.4.1.1466.115.121.1.12 SINGLE-VALUE NO-USER-MODIFICATION USAGE dSAOperation X-ORIGIN
    'OpenLDAP' )
attributetype ( 1.3.6.1.4.1.4203.666.1.8 NAME ( 'authzTo' 'saslAuthzTo' ) EQUALITY authzMatch SYNTAX
  1.3.6.1.4.1.4203.666.2.7 USAGE distributedOperation X-ORIGIN 'OpenLDAP' )
attributetype
  ( 1.3.6.1.4.1.4203.666.1.9 NAME ( 'authzFrom' 'saslAuthzFrom' ) EQUALITY authzMatch SYNTAX
    1.3.6.1.4.1.4203.666.2.7 USAGE distributedOperation X-ORIGIN 'OpenLDAP' )
attributetype ( 1.3.6.1.4.1.42.2.27.8.1.1 NAME 'pwdAttribute' EQUALITY objectIdentifierMatch SYNTAX
  1.3.6.1.4.1.1466.115.121.1.38 X-ORIGIN 'draft-behera-ldap-password-policy' )
attributetype
  ( 1.3.6.1.4.1.42.2.27.8.1.2 NAME 'pwdMinAge' EQUALITY integerMatch ORDERING integerOrderingMatch
    SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE X-ORIGIN 'draft-behera-ldap-password-policy'
    )
attributetype
  ( 1.3.6.1.4.1.42.2.27.8.1.3 NAME 'pwdMaxAge' EQUALITY integerMatch ORDERING integerOrderingMatch
    SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE X-ORIGIN 'draft-behera-ldap-password-policy'
    )
attributetype ( 1.3.6.1.4.1.42.2.27.8.1.4 NAME 'pwdInHistory' EQUALITY integerMatch ORDERING
  integerOrderingMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE X-ORIGIN
  'draft-behera-ldap-password-policy' )
attributetype ( 1.3.6.1.4.1.42.2.27.8.1.5 NAME 'pwdCheckQuality' EQUALITY integerMatch ORDERING
  integerOrderingMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE X-ORIGIN
  'draft-behera-ldap-password-policy' )
attributetype ( 1.3.6.1.4.1.42.2.27.8.1.6 NAME 'pwdMinLength' EQUALITY integerMatch ORDERING
  integerOrderingMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE X-ORIGIN
  'draft-behera-ldap-password-policy' )
attributetype ( 1.3.6.1.4.1.42.2.27.8.1.31 NAME 'pwdMaxLength' EQUALITY integerMatch ORDERING
  integerOrderingMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE X-ORIGIN
  'draft-behera-ldap-password-policy' )
attributetype ( 1.3.6.1.4.1.42.2.27.8.1.7 NAME 'pwdExpireWarning' EQUALITY integerMatch ORDERING
  integerOrderingMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE X-ORIGIN
  'draft-behera-ldap-password-policy' )
attributetype ( 1.3.6.1.4.1.42.2.27.8.1.8 NAME 'pwdGraceAuthNLimit' EQUALITY integerMatch ORDERING
  integerOrderingMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE X-ORIGIN
  'draft-behera-ldap-password-policy' )
attributetype
  ( 1.3.6.1.4.1.42.2.27.8.1.30 NAME ( 'pwdGraceExpiry' 'pwdGraceExpire' ) EQUALITY integerMatch
    ORDERING integerOrderingMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE X-ORIGIN
    'draft-behera-ldap-password-policy' )
attributetype ( 1.3.6.1.4.1.42.2.27.8.1.9 NAME 'pwdLockout' EQUALITY booleanMatch SYNTAX
  1.3.6.1.4.1.1466.115.121.1.7 SINGLE-VALUE X-ORIGIN 'draft-behera-ldap-password-policy' )
attributetype ( 1.3.6.1.4.1.42.2.27.8.1.10 NAME 'pwdLockoutDuration' EQUALITY integerMatch ORDERING
  integerOrderingMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE X-ORIGIN
  'draft-behera-ldap-password-policy' )
attributetype ( 1.3.6.1.4.1.42.2.27.8.1.11 NAME 'pwdMaxFailure' EQUALITY integerMatch SYNTAX
  1.3.6.1.4.1.1466.115.121.1.27 ORDERING integerOrderingMatch SINGLE-VALUE X-ORIGIN
  'draft-behera-ldap-password-policy' )
attributetype
  ( 1.3.6.1.4.1.42.2.27.8.1.12 NAME 'pwdFailureCountInterval' EQUALITY integerMatch SYNTAX
    1.3.6.1.4.1.1466.115.121.1.27 ORDERING integerOrderingMatch SINGLE-VALUE X-ORIGIN
    'draft-behera-ldap-password-policy' )
attributetype ( 1.3.6.1.4.1.42.2.27.8.1.13 NAME 'pwdMustChange' EQUALITY booleanMatch SYNTAX
  1.3.6.1.4.1.1466.115.121.1.7 SINGLE-VALUE X-ORIGIN 'draft-behera-ldap-password-policy' )
attributetype ( 1.3.6.1.4.1.42.2.27.8.1.14 NAME 'pwdAllowUserChange' EQUALITY booleanMatch SYNTAX
  1.3.6.1.4.1.1466.115.121.1.7 SINGLE-VALUE X-ORIGIN 'draft-behera-ldap-password-policy' )
attributetype ( 1.3.6.1.4.1.42.2.27.8.1.15 NAME 'pwdSafeModify' EQUALITY booleanMatch SYNTAX
  1.3.6.1.4.1.1466.115.121.1.7 SINGLE-VALUE X-ORIGIN 'draft-behera-ldap-password-policy' )
attributetype ( 1.3.6.1.4.1.42.2.27.8.1.24 NAME 'pwdMinDelay' EQUALITY integerMatch ORDERING
  integerOrderingMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE X-ORIGIN
  'draft-behera-ldap-password-policy' )
attributetype ( 1.3.6.1.4.1.42.2.27.8.1.25 NAME 'pwdMaxDelay' EQUALITY integerMatch ORDERING
  integerOrderingMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE X-ORIGIN
  'draft-behera-ldap-password-policy' )
attributetype ( 1.3.6.1.4.1.42.2.27.8.1.26 NAME 'pwdMaxIdle' EQUALITY integerMatch ORDERING
  integerOrderingMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE X-ORIGIN
  'draft-behera-ldap-password-policy' )
attributetype
  ( 1.3.6.1.4.1.42.2.27.8.1.32 NAME 'pwdMaxRecordedFailure' EQUALITY integerMatch ORDERING
    integerOrderingMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE X-ORIGIN
    'draft-behera-ldap-password-policy' )
attributetype
  ( 1.3.6.1.4.1.42.2.27.8.1.16 NAME 'pwdChangedTime' EQUALITY generalizedTimeMatch ORDERING
    generalizedTimeOrderingMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.24 SINGLE-VALUE
    NO-USER-MODIFICATION USAGE directoryOperation X-ORIGIN 'draft-behera-ldap-password-policy' )
attributetype
  ( 1.3.6.1.4.1.42.2.27.8.1.17 NAME 'pwdAccountLockedTime' EQUALITY generalizedTimeMatch ORDERING
    generalizedTimeOrderingMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.24 SINGLE-VALUE
    NO-USER-MODIFICATION USAGE directoryOperation X-ORIGIN 'draft-behera-ldap-password-policy' )
attributetype
  ( 1.3.6.1.4.1.42.2.27.8.1.19 NAME 'pwdFailureTime' EQUALITY generalizedTimeMatch ORDERING
    generalizedTimeOrderingMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.24 NO-USER-MODIFICATION USAGE
    directoryOperation X-ORIGIN 'draft-behera-ldap-password-policy' )
attributetype ( 1.3.6.1.4.1.42.2.27.8.1.20 NAME 'pwdHistory' EQUALITY octetStringMatch SYNTAX
  1.3.6.1.4.1.1466.115.121.1.40 NO-USER-MODIFICATION USAGE directoryOperation X-ORIGIN
  'draft-behera-ldap-password-policy' )
attributetype
  ( 1.3.6.1.4.1.42.2.27.8.1.21 NAME 'pwdGraceUseTime' EQUALITY generalizedTimeMatch SYNTAX
    1.3.6.1.4.1.1466.115.121.1.24 NO-USER-MODIFICATION USAGE directoryOperation X-ORIGIN
    'draft-behera-ldap-password-policy' )
attributetype ( 1.3.6.1.4.1.42.2.27.8.1.22 NAME 'pwdReset' EQUALITY booleanMatch SYNTAX
  1.3.6.1.4.1.1466.115.121.1.7 SINGLE-VALUE USAGE directoryOperation X-ORIGIN
  'draft-behera-ldap-password-policy' )
attributetype
  ( 1.3.6.1.4.1.42.2.27.8.1.23 NAME 'pwdPolicySubentry' EQUALITY distinguishedNameMatch SYNTAX
    1.3.6.1.4.1.1466.115.121.1.12 SINGLE-VALUE NO-USER-MODIFICATION USAGE directoryOperation
    X-ORIGIN 'draft-behera-ldap-password-policy' )
attributetype
  ( 1.3.6.1.4.1.42.2.27.8.1.27 NAME 'pwdStartTime' EQUALITY generalizedTimeMatch ORDERING
    generalizedTimeOrderingMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.24 SINGLE-VALUE
    NO-USER-MODIFICATION USAGE directoryOperation X-ORIGIN 'draft-behera-ldap-password-policy' )
attributetype ( 1.3.6.1.4.1.42.2.27.8.1.28 NAME 'pwdEndTime' EQUALITY generalizedTimeMatch ORDERING
  generalizedTimeOrderingMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.24 SINGLE-VALUE
  NO-USER-MODIFICATION USAGE directoryOperation X-ORIGIN 'draft-behera-ldap-password-policy' )
attributetype
  ( 1.3.6.1.4.1.42.2.27.8.1.29 NAME 'pwdLastSuccess' EQUALITY generalizedTimeMatch ORDERING
    generalizedTimeOrderingMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.24 SINGLE-VALUE
    NO-USER-MODIFICATION USAGE directoryOperation X-ORIGIN 'draft-behera-ldap-password-policy' )
objectclass
  ( 2.5.17.0 NAME 'subentry' SUP top STRUCTURAL MUST ( cn $ subtreeSpecification ) X-ORIGIN
    'RFC 3672' )
objectclass
  ( 1.3.6.1.4.1.1466.101.119.2 NAME 'dynamicObject' SUP top AUXILIARY X-ORIGIN 'RFC 2589' )
objectclass
  ( 1.3.6.1.4.1.42.2.27.8.2.1 NAME 'pwdPolicy' SUP top AUXILIARY MUST ( pwdAttribute ) MAY (
    pwdMinAge $ pwdMaxAge $ pwdInHistory $ pwdCheckQuality $ pwdMinLength $ pwdMaxLength $
    pwdExpireWarning $ pwdGraceAuthNLimit $ pwdGraceExpiry $ pwdLockout $ pwdLockoutDuration $
    pwdMaxFailure $ pwdFailureCountInterval $ pwdMustChange $ pwdAllowUserChange $ pwdSafeModify $
    pwdMinDelay $ pwdMaxDelay $ pwdMaxIdle $ pwdMaxRecordedFailure ) X-ORIGIN
    'draft-behera-ldap-password-policy' )
)schema";
}

}  // namespace kauri::schema::builtin
