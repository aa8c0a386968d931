// RFC 4512, RFC 4519, RFC 4523, RFC 3296 and RFC 2079,
// with the names that RFC 2256 and the IANA registry add
#include "schema/builtin.h"

namespace kauri::schema::builtin {

std::string_view core() {
  return R"schema(
attributetype
  ( 2.5.4.1 NAME ( 'aliasedObjectName' 'aliasedEntryName' ) EQUALITY distinguishedNameMatch SYNTAX
    1.3.6.1.4.1.1466.115.121.1.12 SINGLE-VALUE X-ORIGIN 'RFC 4512' )
attributetype
  ( 2.5.4.0 NAME 'objectClass' EQUALITY objectIdentifierMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.38
    X-ORIGIN 'RFC 4512' )
attributetype
  ( 2.5.4.15 NAME 'businessCategory' EQUALITY caseIgnoreMatch SUBSTR caseIgnoreSubstringsMatch
    SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 X-ORIGIN 'RFC 4519' )
attributetype
  ( 2.5.4.6 NAME ( 'c' 'countryName' ) SUP name SYNTAX 1.3.6.1.4.1.1466.115.121.1.11 SINGLE-VALUE
    X-ORIGIN 'RFC 4519' )
attributetype ( 2.5.4.3 NAME ( 'cn' 'commonName' ) SUP name X-ORIGIN 'RFC 4519' )
attributetype
  ( 0.9.2342.19200300.100.1.25 NAME ( 'dc' 'domainComponent' ) EQUALITY caseIgnoreIA5Match SUBSTR
    caseIgnoreIA5SubstringsMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.26 SINGLE-VALUE X-ORIGIN
    'RFC 4519' )
attributetype
  ( 2.5.4.13 NAME 'description' EQUALITY caseIgnoreMatch SUBSTR caseIgnoreSubstringsMatch SYNTAX
    1.3.6.1.4.1.1466.115.121.1.15 X-ORIGIN 'RFC 4519' )
attributetype
  ( 2.5.4.27 NAME 'destinationIndicator' EQUALITY caseIgnoreMatch SUBSTR caseIgnoreSubstringsMatch
    SYNTAX 1.3.6.1.4.1.1466.115.121.1.44 X-ORIGIN 'RFC 4519' )
attributetype ( 2.5.4.49 NAME 'distinguishedName' EQUALITY distinguishedNameMatch SYNTAX
  1.3.6.1.4.1.1466.115.121.1.12 X-ORIGIN 'RFC 4519' )
attributetype
  ( 2.5.4.46 NAME 'dnQualifier' EQUALITY caseIgnoreMatch ORDERING caseIgnoreOrderingMatch SUBSTR
    caseIgnoreSubstringsMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.44 X-ORIGIN 'RFC 4519' )
attributetype
  ( 2.5.4.47 NAME 'enhancedSearchGuide' SYNTAX 1.3.6.1.4.1.1466.115.121.1.21 X-ORIGIN 'RFC 4519' )
attributetype
  ( 2.5.4.23 NAME ( 'facsimileTelephoneNumber' 'fax' ) SYNTAX 1.3.6.1.4.1.1466.115.121.1.22
    X-ORIGIN 'RFC 4519' )
attributetype ( 2.5.4.44 NAME 'generationQualifier' SUP name X-ORIGIN 'RFC 4519' )
attributetype ( 2.5.4.42 NAME ( 'givenName' 'gn' ) SUP name X-ORIGIN 'RFC 4519' )
attributetype
  ( 2.5.4.51 NAME 'houseIdentifier' EQUALITY caseIgnoreMatch SUBSTR caseIgnoreSubstringsMatch
    SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 X-ORIGIN 'RFC 4519' )
attributetype ( 2.5.4.43 NAME 'initials' SUP name X-ORIGIN 'RFC 4519' )
attributetype ( 2.5.4.25 NAME 'internationalISDNNumber' EQUALITY numericStringMatch SUBSTR
  numericStringSubstringsMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.36 X-ORIGIN 'RFC 4519' )
attributetype ( 2.5.4.7 NAME ( 'l' 'localityName' ) SUP name X-ORIGIN 'RFC 4519' )
attributetype ( 2.5.4.31 NAME 'member' SUP distinguishedName X-ORIGIN 'RFC 4519' )
attributetype
  ( 2.5.4.41 NAME 'name' EQUALITY caseIgnoreMatch SUBSTR caseIgnoreSubstringsMatch SYNTAX
    1.3.6.1.4.1.1466.115.121.1.15 X-ORIGIN 'RFC 4519' )
attributetype ( 2.5.4.10 NAME ( 'o' 'organizationName' ) SUP name X-ORIGIN 'RFC 4519' )
attributetype ( 2.5.4.11 NAME ( 'ou' 'organizationalUnitName' ) SUP name X-ORIGIN 'RFC 4519' )
attributetype ( 2.5.4.32 NAME 'owner' SUP distinguishedName X-ORIGIN 'RFC 4519' )
attributetype ( 2.5.4.19 NAME 'physicalDeliveryOfficeName' EQUALITY caseIgnoreMatch SUBSTR
  caseIgnoreSubstringsMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 X-ORIGIN 'RFC 4519' )
attributetype ( 2.5.4.16 NAME 'postalAddress' EQUALITY caseIgnoreListMatch SUBSTR
  caseIgnoreListSubstringsMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.41 X-ORIGIN 'RFC 4519' )
attributetype
  ( 2.5.4.17 NAME 'postalCode' EQUALITY caseIgnoreMatch SUBSTR caseIgnoreSubstringsMatch SYNTAX
    1.3.6.1.4.1.1466.115.121.1.15 X-ORIGIN 'RFC 4519' )
attributetype
  ( 2.5.4.18 NAME 'postOfficeBox' EQUALITY caseIgnoreMatch SUBSTR caseIgnoreSubstringsMatch SYNTAX
    1.3.6.1.4.1.1466.115.121.1.15 X-ORIGIN 'RFC 4519' )
attributetype
  ( 2.5.4.28 NAME 'preferredDeliveryMethod' SYNTAX 1.3.6.1.4.1.1466.115.121.1.14 SINGLE-VALUE
    X-ORIGIN 'RFC 4519' )
attributetype
  ( 2.5.4.26 NAME 'registeredAddress' SUP postalAddress SYNTAX 1.3.6.1.4.1.1466.115.121.1.41
    X-ORIGIN 'RFC 4519' )
attributetype ( 2.5.4.33 NAME 'roleOccupant' SUP distinguishedName X-ORIGIN 'RFC 4519' )
attributetype
  ( 2.5.4.14 NAME 'searchGuide' SYNTAX 1.3.6.1.4.1.1466.115.121.1.25 X-ORIGIN 'RFC 4519' )
attributetype ( 2.5.4.34 NAME 'seeAlso' SUP distinguishedName X-ORIGIN 'RFC 4519' )
attributetype
  ( 2.5.4.5 NAME 'serialNumber' EQUALITY caseIgnoreMatch SUBSTR caseIgnoreSubstringsMatch SYNTAX
    1.3.6.1.4.1.1466.115.121.1.44 X-ORIGIN 'RFC 4519' )
attributetype ( 2.5.4.4 NAME ( 'sn' 'surname' ) SUP name X-ORIGIN 'RFC 4519' )
attributetype ( 2.5.4.8 NAME ( 'st' 'stateOrProvinceName' ) SUP name X-ORIGIN 'RFC 4519' )
attributetype ( 2.5.4.9 NAME ( 'street' 'streetAddress' ) EQUALITY caseIgnoreMatch SUBSTR
  caseIgnoreSubstringsMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 X-ORIGIN 'RFC 4519' )
attributetype ( 2.5.4.20 NAME 'telephoneNumber' EQUALITY telephoneNumberMatch SUBSTR
  telephoneNumberSubstringsMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.50 X-ORIGIN 'RFC 4519' )
attributetype
  ( 2.5.4.22 NAME 'teletexTerminalIdentifier' SYNTAX 1.3.6.1.4.1.1466.115.121.1.51 X-ORIGIN
    'RFC 4519' )
attributetype
  ( 2.5.4.21 NAME 'telexNumber' SYNTAX 1.3.6.1.4.1.1466.115.121.1.52 X-ORIGIN 'RFC 4519' )
attributetype ( 2.5.4.12 NAME 'title' SUP name X-ORIGIN 'RFC 4519' )
attributetype ( 0.9.2342.19200300.100.1.1 NAME ( 'uid' 'userid' ) EQUALITY caseIgnoreMatch SUBSTR
  caseIgnoreSubstringsMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 X-ORIGIN 'RFC 4519' )
attributetype
  ( 2.5.4.50 NAME 'uniqueMember' EQUALITY uniqueMemberMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.34
    X-ORIGIN 'RFC 4519' )
attributetype
  ( 2.5.4.35 NAME 'userPassword' EQUALITY octetStringMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.40
    X-ORIGIN 'RFC 4519' )
attributetype
  ( 2.5.4.24 NAME 'x121Address' EQUALITY numericStringMatch SUBSTR numericStringSubstringsMatch
    SYNTAX 1.3.6.1.4.1.1466.115.121.1.36 X-ORIGIN 'RFC 4519' )
attributetype ( 2.5.4.45 NAME 'x500UniqueIdentifier' EQUALITY bitStringMatch SYNTAX
  1.3.6.1.4.1.1466.115.121.1.6 X-ORIGIN 'RFC 4519' )
attributetype ( 2.5.4.36 NAME 'userCertificate' EQUALITY certificateExactMatch SYNTAX
  1.3.6.1.4.1.1466.115.121.1.8 X-ORIGIN 'RFC 4523' )
attributetype ( 2.5.4.37 NAME 'cACertificate' EQUALITY certificateExactMatch SYNTAX
  1.3.6.1.4.1.1466.115.121.1.8 X-ORIGIN 'RFC 4523' )
attributetype ( 2.5.4.40 NAME 'crossCertificatePair' EQUALITY certificatePairExactMatch SYNTAX
  1.3.6.1.4.1.1466.115.121.1.10 X-ORIGIN 'RFC 4523' )
attributetype ( 2.5.4.39 NAME 'certificateRevocationList' EQUALITY certificateListExactMatch SYNTAX
  1.3.6.1.4.1.1466.115.121.1.9 X-ORIGIN 'RFC 4523' )
attributetype ( 2.5.4.38 NAME 'authorityRevocationList' EQUALITY certificateListExactMatch SYNTAX
  1.3.6.1.4.1.1466.115.121.1.9 X-ORIGIN 'RFC 4523' )
attributetype ( 2.5.4.53 NAME 'deltaRevocationList' EQUALITY certificateListExactMatch SYNTAX
  1.3.6.1.4.1.1466.115.121.1.9 X-ORIGIN 'RFC 4523' )
attributetype ( 2.5.4.52 NAME 'supportedAlgorithms' EQUALITY algorithmIdentifierMatch SYNTAX
  1.3.6.1.4.1.1466.115.121.1.49 X-ORIGIN 'RFC 4523' )
attributetype
  ( 1.3.6.1.4.1.250.1.57 NAME 'labeledURI' EQUALITY caseExactMatch SUBSTR caseExactSubstringsMatch
    SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 X-ORIGIN 'RFC 2079' )
attributetype
  ( 1.2.840.113549.1.9.1 NAME ( 'emailAddress' 'email' 'pkcs9email' ) EQUALITY caseIgnoreIA5Match
    SUBSTR caseIgnoreIA5SubstringsMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.26 X-ORIGIN 'RFC 2985' )
attributetype ( 2.5.4.29 NAME 'presentationAddress' EQUALITY presentationAddressMatch SYNTAX
  1.3.6.1.4.1.1466.115.121.1.43 SINGLE-VALUE X-ORIGIN 'RFC 2256' )
attributetype ( 2.5.4.30 NAME 'supportedApplicationContext' EQUALITY objectIdentifierMatch SYNTAX
  1.3.6.1.4.1.1466.115.121.1.38 X-ORIGIN 'RFC 2256' )
attributetype ( 2.5.4.48 NAME 'protocolInformation' EQUALITY protocolInformationMatch SYNTAX
  1.3.6.1.4.1.1466.115.121.1.42 X-ORIGIN 'RFC 2256' )
attributetype ( 2.5.4.2 NAME 'knowledgeInformation' EQUALITY caseIgnoreMatch SYNTAX
  1.3.6.1.4.1.1466.115.121.1.15 X-ORIGIN 'RFC 2256' )
attributetype ( 2.5.4.54 NAME 'dmdName' SUP name X-ORIGIN 'RFC 2256' )
attributetype ( 2.5.4.65 NAME 'pseudonym' SUP name X-ORIGIN 'X.520' )
attributetype ( 1.3.6.1.4.1.4203.1.3.4 NAME 'authPassword' EQUALITY octetStringMatch SYNTAX
  1.3.6.1.4.1.4203.1.1.2 X-ORIGIN 'RFC 3112' )
objectclass ( 2.5.6.0 NAME 'top' ABSTRACT MUST objectClass X-ORIGIN 'RFC 4512' )
objectclass ( 2.5.6.1 NAME 'alias' SUP top STRUCTURAL MUST aliasedObjectName X-ORIGIN 'RFC 4512' )
objectclass ( 2.5.20.1 NAME 'subschema' SUP top AUXILIARY MAY ( dITStructureRules $ nameForms $
  dITContentRules $ objectClasses $ attributeTypes $ matchingRules $ matchingRuleUse ) X-ORIGIN
  'RFC 4512' )
objectclass
  ( 1.3.6.1.4.1.1466.101.120.111 NAME 'extensibleObject' SUP top AUXILIARY X-ORIGIN 'RFC 4512' )
objectclass ( 2.5.6.11 NAME 'applicationProcess' SUP top STRUCTURAL MUST cn MAY ( seeAlso $ ou $ l $
  description ) X-ORIGIN 'RFC 4519' )
objectclass
  ( 2.5.6.2 NAME 'country' SUP top STRUCTURAL MUST c MAY ( searchGuide $ description ) X-ORIGIN
    'RFC 4519' )
objectclass ( 1.3.6.1.4.1.1466.344 NAME 'dcObject' SUP top AUXILIARY MUST dc X-ORIGIN 'RFC 4519' )
objectclass
  ( 2.5.6.14 NAME 'device' SUP top STRUCTURAL MUST cn MAY ( serialNumber $ seeAlso $ owner $ ou $
    o $ l $ description ) X-ORIGIN 'RFC 4519' )
objectclass
  ( 2.5.6.9 NAME 'groupOfNames' SUP top STRUCTURAL MUST ( member $ cn ) MAY ( businessCategory $
    seeAlso $ owner $ ou $ o $ description ) X-ORIGIN 'RFC 4519' )
objectclass ( 2.5.6.17 NAME 'groupOfUniqueNames' SUP top STRUCTURAL MUST ( uniqueMember $ cn ) MAY (
  businessCategory $ seeAlso $ owner $ ou $ o $ description ) X-ORIGIN 'RFC 4519' )
objectclass
  ( 2.5.6.3 NAME 'locality' SUP top STRUCTURAL MAY ( street $ seeAlso $ searchGuide $ st $ l $
    description ) X-ORIGIN 'RFC 4519' )
objectclass
  ( 2.5.6.4 NAME 'organization' SUP top STRUCTURAL MUST o MAY ( userPassword $ searchGuide $
    seeAlso $ businessCategory $ x121Address $ registeredAddress $ destinationIndicator $
    preferredDeliveryMethod $ telexNumber $ teletexTerminalIdentifier $ telephoneNumber $
    internationalISDNNumber $ facsimileTelephoneNumber $ street $ postOfficeBox $ postalCode $
    postalAddress $ physicalDeliveryOfficeName $ st $ l $ description ) X-ORIGIN 'RFC 4519' )
objectclass ( 2.5.6.7 NAME 'organizationalPerson' SUP person STRUCTURAL MAY ( title $ x121Address $
  registeredAddress $ destinationIndicator $ preferredDeliveryMethod $ telexNumber $
  teletexTerminalIdentifier $ telephoneNumber $ internationalISDNNumber $
  facsimileTelephoneNumber $ street $ postOfficeBox $ postalCode $ postalAddress $
  physicalDeliveryOfficeName $ ou $ st $ l ) X-ORIGIN 'RFC 4519' )
objectclass ( 2.5.6.8 NAME 'organizationalRole' SUP top STRUCTURAL MUST cn MAY ( x121Address $
  registeredAddress $ destinationIndicator $ preferredDeliveryMethod $ telexNumber $
  teletexTerminalIdentifier $ telephoneNumber $ internationalISDNNumber $
  facsimileTelephoneNumber $ seeAlso $ roleOccupant $ preferredDeliveryMethod $ street $
  postOfficeBox $ postalCode $ postalAddress $ physicalDeliveryOfficeName $ ou $ st $ l $
  description ) X-ORIGIN 'RFC 4519' )
objectclass ( 2.5.6.5 NAME 'organizationalUnit' SUP top STRUCTURAL MUST ou MAY ( businessCategory $
  description $ destinationIndicator $ facsimileTelephoneNumber $ internationalISDNNumber $ l $
  physicalDeliveryOfficeName $ postalAddress $ postalCode $ postOfficeBox $
  preferredDeliveryMethod $ registeredAddress $ searchGuide $ seeAlso $ st $ street $
  telephoneNumber $ teletexTerminalIdentifier $ telexNumber $ userPassword $ x121Address )
  X-ORIGIN 'RFC 4519' )
objectclass
  ( 2.5.6.6 NAME 'person' SUP top STRUCTURAL MUST ( sn $ cn ) MAY ( userPassword $ telephoneNumber
    $ seeAlso $ description ) X-ORIGIN 'RFC 4519' )
objectclass
  ( 2.5.6.10 NAME 'residentialPerson' SUP person STRUCTURAL MUST l MAY ( businessCategory $
    x121Address $ registeredAddress $ destinationIndicator $ preferredDeliveryMethod $ telexNumber
    $ teletexTerminalIdentifier $ telephoneNumber $ internationalISDNNumber $
    facsimileTelephoneNumber $ preferredDeliveryMethod $ street $ postOfficeBox $ postalCode $
    postalAddress $ physicalDeliveryOfficeName $ st $ l ) X-ORIGIN 'RFC 4519' )
objectclass ( 1.3.6.1.1.3.1 NAME 'uidObject' SUP top AUXILIARY MUST uid X-ORIGIN 'RFC 4519' )
objectclass ( 2.5.6.21 NAME 'pkiUser' SUP top AUXILIARY MAY userCertificate X-ORIGIN 'RFC 4523' )
objectclass
  ( 2.5.6.22 NAME 'pkiCA' SUP top AUXILIARY MAY ( cACertificate $ certificateRevocationList $
    authorityRevocationList $ crossCertificatePair ) X-ORIGIN 'RFC 4523' )
objectclass ( 2.5.6.19 NAME 'cRLDistributionPoint' SUP top STRUCTURAL MUST cn MAY (
  certificateRevocationList $ authorityRevocationList $ deltaRevocationList ) X-ORIGIN
  'RFC 4523' )
objectclass
  ( 2.5.6.23 NAME 'deltaCRL' SUP top AUXILIARY MAY deltaRevocationList X-ORIGIN 'RFC 4523' )
objectclass
  ( 2.5.6.15 NAME 'strongAuthenticationUser' SUP top AUXILIARY MUST userCertificate X-ORIGIN
    'RFC 4523' )
objectclass
  ( 2.5.6.18 NAME 'userSecurityInformation' SUP top AUXILIARY MAY ( supportedAlgorithms ) X-ORIGIN
    'RFC 4523' )
objectclass
  ( 2.5.6.16 NAME 'certificationAuthority' SUP top AUXILIARY MUST ( authorityRevocationList $
    certificateRevocationList $ cACertificate ) MAY crossCertificatePair X-ORIGIN 'RFC 4523' )
objectclass ( 2.5.6.16.2 NAME 'certificationAuthority-V2' SUP certificationAuthority AUXILIARY MAY
  deltaRevocationList X-ORIGIN 'RFC 4523' )
objectclass
  ( 2.16.840.1.113730.3.2.6 NAME 'referral' SUP top STRUCTURAL MUST ref X-ORIGIN 'RFC 3296' )
objectclass ( 1.3.6.1.4.1.250.3.15 NAME 'labeledURIObject' SUP top AUXILIARY MAY labeledURI X-ORIGIN
  'RFC 2079' )
objectclass
  ( 2.5.6.12 NAME 'applicationEntity' SUP top STRUCTURAL MUST ( presentationAddress $ cn ) MAY (
    supportedApplicationContext $ seeAlso $ ou $ o $ l $ description ) X-ORIGIN 'RFC 2256' )
objectclass ( 2.5.6.13 NAME 'dSA' SUP applicationEntity STRUCTURAL MAY knowledgeInformation X-ORIGIN
  'RFC 2256' )
objectclass
  ( 2.5.6.20 NAME 'dmd' SUP top STRUCTURAL MUST dmdName MAY ( userPassword $ searchGuide $ seeAlso
    $ businessCategory $ x121Address $ registeredAddress $ destinationIndicator $
    preferredDeliveryMethod $ telexNumber $ teletexTerminalIdentifier $ telephoneNumber $
    internationalISDNNumber $ facsimileTelephoneNumber $ street $ postOfficeBox $ postalCode $
    postalAddress $ physicalDeliveryOfficeName $ st $ l $ description ) X-ORIGIN 'RFC 2256' )
)schema";
}

}  // namespace kauri::schema::builtin
