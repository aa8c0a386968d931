#include "security/password.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "base/limits.h"
#include "security/password_schemes.h"

namespace kauri::security {
namespace {

// Made with other programs' implementations: Python's hashlib and the system's crypt(3). The
// password of all of them is "secret".
struct Known {
  std::string_view stored;
  bool slow;
};
constexpr Known kKnown[] = {
    {"{SSHA}cqVbhtveg6UlUYb4hGPrp7XYoikAAQIDBAUGBw==", false},
    {"{ssha}cqVbhtveg6UlUYb4hGPrp7XYoikAAQIDBAUGBw==", false},
    {"{SSHA}cqVbhtveg6UlUYb4hGPrp7XYoikAAQIDBAUGBw", false},
    {"{SSHA256}lAejl/Of0h/+J/b6px7T8LLPd/QxmtSbDDvk8djjRJEAAQIDBAUGBw==", false},
    {"{SSHA384}ovWmOuRxardiAXRoZ0oJ3oNrimvG3way/lnwSIrxRCQs3mxTACkzZgBei27d9HRgAAECAwQFBgc=",
     false},
    {"{SSHA512}sA0uxvTZmjjgeqepQzW+3VNsblhqzltje58zvmzlAr0V6DwpiazN2VxnSFYthOpYDzqKXnv8rNmIQMOVX9al"
     "QgABAgMEBQYH",
     false},
    {"{SMD5}A1+4FFtzzxEVcNyTYRK+nAABAgMEBQYH", false},
    {"{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=", false},
    {"{SHA256}K7gNU3sdo+OL0wNhqoVWhr3g6s1xYv72ol/pe/Unols=", false},
    {"{SHA384}WKd1ukESvjAFrkQHznV9iP2nHUBJe7gCbsrFTU4//HIyzo3jq1rLMK45dg/ufFPt", false},
    {"{SHA512}vSsar3708Jvp9Szi2NWZZ02Bqp1qRCFpbcTZPdBhnWgs5WtNZKnvCXdhztmeD2cmW192CF5bDufKRpayrW/i"
     "sg==",
     false},
    {"{MD5}Xr4ilOzQ4PCOq3aQ0qbuaQ==", false},
    {"{PBKDF2}1000$./.../.../.../.../..AQ$JIBGz/tRdN9AkyqA9yxrzZtErVU", true},
    {"{PBKDF2-SHA1}1000$./.../.../.../.../..AQ$JIBGz/tRdN9AkyqA9yxrzZtErVU", true},
    {"{PBKDF2-SHA256}1000$./.../.../.../.../..AQ$txmb9Z8h05koK/Afjk/ZgAiLS2wfUfepiSjXCq9qVg0",
     true},
    {"{PBKDF2-SHA512}1000$./.../.../.../.../..AQ$L3kDafZYghumYgXW2CbGpCwg2JZg39QEDFRPiW1dWQLRKYgpyV"
     "mBfNnznxs2SIhK277IP5ne6/BlUcLDuxoq/A",
     true},
    {"{PBKDF2_SHA256}"
     "AAAIAAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4fICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj+"
     "B9X"
     "eOejtyt4BTjI46i3LtcyOiILFyqJgSilUxXiMS6q73bHB/+ZX8IITSt36w6FEBAtkpXO02/"
     "zpH0rHl4YSdeZ5hjbd9nDYq"
     "0Avw9pABNQVUEj7GBo+Dt2J6hvxICY6SNDtgyGQljMTA64Cc4E6rd/"
     "w3uDixLyqzBEc+Ba4lSmEBR6oQsFCJ2fpEquMVx7"
     "EG7YG7PZesWyzC+/"
     "itvph53qwWtea21d4DWq+gi+HjlMNggdZ5ycW4VWdnfqvWWsKPbrvrvlPNIIWUdoQUFTVIdMJhjnTZ"
     "5AeiM9iXBM3G4qbPigqPZyw922t+6ygi+ignwkbT2jWrtAx+Q87w/wL8",
     true},
    {"{PBKDF2-SHA512}"
     "AAAIAAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4fICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj/"
     "qgg"
     "cTYNEsW6tLkhNwj8N1526B2XBv75HdVJmjqJl1DKTzFtdN6U7I2Xu0DeVvW9kZNcl8V/"
     "WiSfiP4h2VdNtlDtR79EHy1I+X"
     "y3ENTteO6EFVc6U4S0Tso8Ttbx3cd37xYhe7h0Cq8Z8mdtMaFG22Iu7+f4p7v6uOopPbves8+f1PKyk+"
     "Z8KC1Dej2aixi1"
     "rODKJZPvOO92bwXg66PTocrp3hASBy6emdxpwn0g2nfyiIHLG0x0XPpriFVsO9chCYm5vB7+7zADt/"
     "XROB224hne9Ha8wY"
     "RaQ4wOR1ndrNEXWpZXlBUKFaUQ01i65oTtUJ1SOC3Z3aDOtDvnJqpnQa",
     true},
    {"{CRYPT}abNANd1rDfiNc", true},
    {"{crypt}$1$saltsalt$9xy1btjgzLYfb7hivXtC//", true},
    {"{CRYPT}$5$rounds=1000$saltsalt$eKLZU9t9OoPWrqOQsoTIKG0aYkZ5rGOoOQhiIvoSWX2", true},
    {"{CRYPT}$6$saltsalt$TVLlQcbpFVof5W3Yz4DTP6gRstiNuHwwTt6GLc1E5n0U0aDehy0S5knV8wiOQSpT0Y77vwPZN."
     "Pq.H91p5hVO1",
     true},
    {"{CRYPT}$2b$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a", true},
    {"{CRYPT}$y$j75$saltsaltsalt$jyf/lxrpdyAIshWRo1x5DRC6KIE7sNRRtjcomR3PgHA", true},
    {"{CRYPT}$gy$j75$saltsaltsalt$Hr8NZO3YbGYYImkNKbG9HW7NVc2mSlRUKsEKqTUd2R4", true},
    {"{CRYPT}_J9..rasmz0.F/jqjWck", true},
    {"{CRYPT}$sha1$1000$saltsalt$Afd9xS7u8w4h.ywETK2u0ha2i2TG", true},
    {"{CRYPT}$md5,rounds=100$saltsalt$$rgAdXqlcPXRb8MLDhwIsL/", true},
};

TEST(PasswordVerify, AcceptsKnownHashesOfOtherProgramsAndNothingElse) {
  for (const Known& known : kKnown) {
    EXPECT_TRUE(verify_password("secret", known.stored)) << known.stored;
    EXPECT_FALSE(verify_password("Secret", known.stored)) << known.stored;
    EXPECT_FALSE(verify_password("secret2", known.stored)) << known.stored;
    EXPECT_FALSE(verify_password("", known.stored)) << known.stored;
    EXPECT_FALSE(verify_password(known.stored, known.stored)) << known.stored;
    EXPECT_FALSE(verify_password(std::string_view("secret\0", 7), known.stored)) << known.stored;
    EXPECT_TRUE(is_hashed(known.stored)) << known.stored;
    EXPECT_EQ(is_slow(known.stored), known.slow) << known.stored;
  }
}

TEST(PasswordVerify, RefusesEveryCutOfAKnownHash) {
  for (const Known& known : kKnown) {
    // What a cut hash of the slow kinds costs is the same as the whole one: a sample will do. One
    // octet less may be only the padding, or unused bits.
    const std::size_t step = known.slow ? 7 : 1;
    const std::size_t padding = known.stored.size() - known.stored.find_last_not_of('=') - 1;
    for (std::size_t size = 0; size + padding < known.stored.size(); size += step) {
      EXPECT_FALSE(verify_password("secret", known.stored.substr(0, size)))
          << known.stored.substr(0, size);
    }
  }
}

// Case H23 and RELIABILITY section 5: what stands in the directory is not trusted.
TEST(PasswordVerify, MalformedStoredValuesNeverMatch) {
  const std::vector<std::string> malformed = {
      "",
      "x",
      "*",
      "!",
      "!!",
      "{",
      "{}",
      "{}x",
      "{SSHA}",
      "{SSHA",
      "{NOSUCH}x",
      "{CLEARTEXT}x",
      "{SMD5}AAAA",
      "{SMD5}",
      "{MD5}",
      "{MD5}AAAA",
      "{SHA}",
      "{SHA}eA==",
      "{SSHA}x",
      "{SSHA}!!!!",
      "{SSHA}AAAAAAAAAAAAAAAAAAAAAAAAAAA=",
      "{SSHA}EfatjsUqKYRrqv18O1FlA3hcIHI=",  // the digest of "x" without any salt
      "{SHA}EfatjsUqKYRrqv18O1FlA3hcIHIA",   // the digest of "x" and one octet more
      "{SSHA512}AAAA",
      "{CRYPT}",
      "{CRYPT}*",
      "{CRYPT}*0",
      "{CRYPT}*1",
      "{CRYPT}x",
      "{CRYPT}!",
      "{CRYPT}!!",
      "{CRYPT}$",
      "{CRYPT}$6$",
      "{CRYPT}$6$salt$",
      "{CRYPT}$2b$",
      "{CRYPT}$2b$05$",
      "{CRYPT}$2b$ab$abcdefghijklmnopqrstuuOQiyCxlgf",
      "{CRYPT}$y$",
      "{CRYPT}$y$j9T",
      "{CRYPT}$y$j9T$",
      "{CRYPT}$7$",
      "{CRYPT}$7$C6..../....",
      "{CRYPT}_",
      "{CRYPT}_J9..",
      "{CRYPT}$nosuch$salt$hash",
      "{PBKDF2-SHA256}",
      "{PBKDF2-SHA256}$$",
      "{PBKDF2-SHA256}$",
      "{PBKDF2-SHA256}1000$$",
      "{PBKDF2-SHA256}1000$AAAA$",
      "{PBKDF2-SHA256}1000$AAAA$AAAA",
      "{PBKDF2-SHA256}-1$./.../.../.../.../..AQ$txmb9Z8h05koK/Afjk/ZgAiLS2wfUfepiSjXCq9qVg0",
      "{PBKDF2-SHA256}0$./.../.../.../.../..AQ$txmb9Z8h05koK/Afjk/ZgAiLS2wfUfepiSjXCq9qVg0",
      "{PBKDF2-SHA256}1000x$./.../.../.../.../..AQ$txmb9Z8h05koK/Afjk/ZgAiLS2wfUfepiSjXCq9qVg0",
      "{PBKDF2_SHA256}AAAA",
      "{ARGON2}",
      "{ARGON2}x",
      "{ARGON2}$argon2id$",
      "{ARGON2}$argon2id$v=19$m=,t=,p=$$",
      "{ARGON2}$argon2id$v=19$m=64,t=1,p=1$",
      "{ARGON2}$argon2id$v=19$m=64,t=1,p=1$AAAA$AAAA",
      "{ARGON2}$argon2d$v=19$m=64,t=1,p=1$c2FsdHNhbHQ$AAAAAAAAAAAAAAAAAAAAAA",
      std::string("{CRYPT}ab\0NANd1rDfiNc", 20),
      "{" + std::string(100, 'A') + "}x",
      "{SSHA}" + std::string(100'000, 'A'),
  };
  for (const std::string& stored : malformed) {
    EXPECT_FALSE(verify_password("x", stored)) << stored.substr(0, 80);
    EXPECT_FALSE(verify_password(stored, stored)) << stored.substr(0, 80);
    EXPECT_FALSE(verify_password("secret", stored)) << stored.substr(0, 80);
  }
}

// If one of these were computed, it would take minutes, or gibibytes; the test's time limit would
// tell.
TEST(PasswordVerify, WorkFactorsOverTheCapsAreNotComputed) {
  for (const std::string_view stored : {
           "{PBKDF2-SHA256}2147483647$./.../.../.../.../..AQ$txmb9Z8h05koK/"
           "Afjk/ZgAiLS2wfUfepiSjXCq9qVg0",
           "{PBKDF2-SHA256}4294967296$./.../.../.../.../..AQ$txmb9Z8h05koK/"
           "Afjk/ZgAiLS2wfUfepiSjXCq9qVg0",
           "{ARGON2}$argon2id$v=19$m=4194304,t=2,p=1$c2FsdHNhbHRzYWx0$"
           "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
           "{ARGON2}$argon2id$v=19$m=64,t=4294967295,p=1$c2FsdHNhbHRzYWx0$"
           "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
           "{ARGON2}$argon2i$v=19$m=18446744073709551615,t=2,p=1$c2FsdHNhbHRzYWx0$"
           "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
           "{CRYPT}$2b$31$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a",
           "{CRYPT}$6$rounds=999999999$saltsalt$TVLlQcbpFVof5W3Yz4DTP6gRstiNuHwwTt6GLc1E5n0U0aDe",
           "{CRYPT}$5$rounds=4294967297$saltsalt$eKLZU9t9OoPWrqOQsoTIKG0aYkZ5rGOoOQhiIvoSWX2",
           "{CRYPT}$y$jRT$saltsaltsalt$jyf/lxrpdyAIshWRo1x5DRC6KIE7sNRRtjcomR3PgHA",
           "{CRYPT}$y$j9TzV$saltsaltsalt$jyf/lxrpdyAIshWRo1x5DRC6KIE7sNRRtjcomR3PgHA",
           "{CRYPT}$7$S6..../....saltsalt$jyf/lxrpdyAIshWRo1x5DRC6KIE7sNRRtjcomR3PgHA",
           "{CRYPT}$sha1$4000000000$saltsalt$Afd9xS7u8w4h.ywETK2u0ha2i2TG",
           "{CRYPT}$md5,rounds=4000000000$saltsalt$$rgAdXqlcPXRb8MLDhwIsL/",
           "{CRYPT}_zzzzrasmz0.F/jqjWck",
       }) {
    EXPECT_FALSE(verify_password("secret", stored)) << stored;
  }
}

TEST(PasswordHash, MadeHashesVerify) {
  SeededRandom random(1);
  for (const PasswordScheme scheme : {PasswordScheme::kArgon2id, PasswordScheme::kSsha512,
                                      PasswordScheme::kSsha256, PasswordScheme::kSsha}) {
    for (const std::string& password :
         {std::string("x"), std::string("p\xc3\xa4ss w\0rd", 11), std::string(4096, 'z')}) {
      const Result<std::string> stored = hash_password(password, scheme, random);
      ASSERT_TRUE(stored) << stored.error().message();
      EXPECT_TRUE(verify_password(password, *stored)) << *stored;
      EXPECT_FALSE(verify_password(password + "x", *stored)) << *stored;
      EXPECT_FALSE(verify_password(password.substr(1) + "y", *stored)) << *stored;
      EXPECT_TRUE(is_hashed(*stored));
      EXPECT_EQ(is_slow(*stored), scheme == PasswordScheme::kArgon2id);
    }
  }
}

TEST(PasswordHash, SaysItsParametersAndNeverRepeatsASalt) {
  const Result<std::string> argon2 =
      hash_password("secret", PasswordScheme::kArgon2id, Random::system());
  ASSERT_TRUE(argon2);
  EXPECT_TRUE(argon2->starts_with("{ARGON2}$argon2id$v=19$m=19456,t=2,p=1$")) << *argon2;
  std::set<std::string> made;
  for (int i = 0; i < 100; ++i) {
    const Result<std::string> stored =
        hash_password("secret", PasswordScheme::kSsha, Random::system());
    ASSERT_TRUE(stored);
    EXPECT_TRUE(made.insert(*stored).second) << *stored;
  }
}

TEST(PasswordHash, LimitsTheLength) {
  SeededRandom random(1);
  const std::string long_password(limits::kPasswordSizeMax + 1, 'a');
  const Result<std::string> refused = hash_password(long_password, PasswordScheme::kSsha, random);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kLimit);
  EXPECT_EQ(refused.error().message(),
            "a password of 4097 octets exceeds the limit of 4096 octets");
  const Result<std::string> empty = hash_password("", PasswordScheme::kSsha, random);
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().message(), "a password must not be empty");
  // Even if someone stored the digest of it.
  const std::string stored = "{SSHA}";
  EXPECT_FALSE(verify_password(long_password, stored));
}

TEST(PasswordHash, TellsHashesFromClearText) {
  for (const std::string_view stored : {"{SSHA}x", "{NOSUCH}x", "{x-y_z}", "*", "!", "!!"}) {
    EXPECT_TRUE(is_hashed(stored)) << stored;
  }
  for (const std::string_view stored :
       {"", "secret", "{", "{}", "{}x", "{ssha", "{a b}c", "**", "{\xc3\xa4}x"}) {
    EXPECT_FALSE(is_hashed(stored)) << stored;
  }
}

TEST(PasswordHash, FindsTheClearTextInMarkedValues) {
  EXPECT_EQ(clear_password("secret"), "secret");
  EXPECT_EQ(clear_password("{CLEAR}secret"), "secret");
  EXPECT_EQ(clear_password("{cleartext}se{cr}et"), "se{cr}et");
  EXPECT_EQ(clear_password("{CLEAR}"), "");
  // What follows is the password, even when it looks like a hash: nobody gets in by a hash alone.
  EXPECT_EQ(clear_password("{CLEARTEXT}{SSHA}x"), "{SSHA}x");
  EXPECT_EQ(clear_password("{CLEARED}x"), std::nullopt);
  EXPECT_EQ(clear_password("{SSHA}x"), std::nullopt);
  EXPECT_EQ(clear_password("!"), std::nullopt);
  EXPECT_FALSE(is_hashed("{CLEAR}secret"));
  EXPECT_FALSE(is_known_scheme("{CLEAR}secret"));
  EXPECT_FALSE(verify_password("secret", "{CLEAR}secret"));
}

TEST(PasswordScheme, NamesParseInEveryForm) {
  for (const PasswordScheme scheme : {PasswordScheme::kArgon2id, PasswordScheme::kSsha512,
                                      PasswordScheme::kSsha256, PasswordScheme::kSsha}) {
    const std::string name(to_string(scheme));
    EXPECT_EQ(parse_scheme(name).value(), scheme);
    EXPECT_EQ(parse_scheme("{" + name + "}").value(), scheme);
  }
  EXPECT_EQ(parse_scheme("{SSHA512}").value(), PasswordScheme::kSsha512);
  EXPECT_EQ(parse_scheme("ARGON2").value(), PasswordScheme::kArgon2id);
  const Result<PasswordScheme> unknown = parse_scheme("md5");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().message(),
            "'md5' is no password scheme that can be made; expected argon2id, ssha512, ssha256 or "
            "ssha");
}

TEST(PasswordDummy, AcceptsAnything) {
  verify_dummy("");
  verify_dummy(std::string(100'000, 'x'));
}

}  // namespace
}  // namespace kauri::security
